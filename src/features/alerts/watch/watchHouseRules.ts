// Tells of house rules that are broken. Which are stands in the state of the account, with the time of each, so a breach has a name of its
// own: it is told once, whatever dies in between, and again when the rule is broken anew. It is told after what the history tells of the
// entry that was looked at, and before what comes later.

import { WAITING_MAX } from '../rules/alertKinds.ts';
import { messageBody } from '../rules/alertMessage.ts';
import { AlertDeliveries, deliveryId, type NewDelivery, orderAt } from '../store/alertDeliveries.ts';
import { AlertNotes } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { BrokenRule, KnownAccount, WatchedAccount, WatchParts } from './watchParts.ts';

export async function watchHouseRules(parts: WatchParts, watched: readonly WatchedAccount[]): Promise<void> {
  if (watched.length === 0) return;
  const known = await parts.accounts.read([...new Set(watched.map(({ account }) => account))]);
  for (const one of watched) {
    const account = known.get(one.account);
    if (account !== undefined) await tell(parts, one, account);
  }
}

/** After what the history tells of the same entry (fillOutbox.ts). */
const AFTER_ROWS = '9';

const nameOf = ({ rule, coin = '', timeMs }: BrokenRule): string => `${timeMs} ${rule} ${coin}`;

async function tell({ mongo, realNow }: WatchParts, { endpoint, account }: WatchedAccount, known: KnownAccount): Promise<void> {
  const told = endpoint.brokenRules?.[account] ?? [];
  const names = known.broken.map(nameOf);
  if (names.length === told.length && names.every((name) => told.includes(name))) return;
  const deliveries = new AlertDeliveries(mongo);
  if ((await deliveries.count(endpoint._id, 'waiting')) >= WAITING_MAX) return;
  const fresh = known.broken.filter((broken) => !told.includes(nameOf(broken)));
  const made = fresh.map((broken): NewDelivery => {
    const { rule, act, coin = null, found = null, timeMs } = broken;
    const data = { rule: RULE_NAMES[rule], act, coin, found };
    const place = `house-${rule}-${Buffer.from(coin ?? '').toString('hex')}`;
    return {
      _id: deliveryId(endpoint._id, account, timeMs, place),
      order: orderAt(known.seq, `${AFTER_ROWS}-${place}`),
      ...{ endpoint: endpoint._id, userId: endpoint.userId, lane: account, type: 'house_rule' },
      body: messageBody({ type: 'house_rule', timestamp: new Date(timeMs).toISOString(), data }, { account, seq: known.seq }),
    };
  });
  const now = new Date(realNow());
  await deliveries.add(made, now);
  if (made.length > 0) await new AlertEndpoints(mongo).wake(endpoint._id, now);
  await new AlertNotes(mongo).rulesTold(endpoint._id, account, names);
}

/** As `GET …/account/rules` names them. */
const RULE_NAMES: Readonly<Record<BrokenRule['rule'], string>> = {
  dailyLoss: 'daily_loss',
  drawdown: 'drawdown',
  hours: 'hours',
  coins: 'coins',
};
