// Tells when the margin ratio of an account crosses a threshold of an endpoint. The change and its deliveries are one write at the
// endpoint, and the deliveries are made from that: when a process dies in between, the next look writes them.
import { LiveMarket } from '../../../market/domain/liveMarket.ts';
import { marketKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { WAITING_MAX } from '../rules/alertKinds.ts';
import { messageBody } from '../rules/alertMessage.ts';
import { type MarginNow, marginCrossings, marginData, marginNow } from '../rules/thresholds.ts';
import { AlertDeliveries, deliveryId, type NewDelivery } from '../store/alertDeliveries.ts';
import { AlertNotes, type MarginNote, settingsOf } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { KnownAccount, WatchedAccount, WatchParts } from './watchParts.ts';

/** After what the history tells of the same entry (fillOutbox.ts). */
const PLACE = '9-margin';
const TIME_DIGITS = 15;

/** By the time: what is told later of the same entry comes later, also where the changes are counted anew. */
const placeAt = (timeMs: number, i: number): string => `${PLACE}-${String(timeMs).padStart(TIME_DIGITS, '0')}-${i}`;

export async function watchMargins(parts: WatchParts, watched: readonly WatchedAccount[]): Promise<void> {
  if (watched.length === 0) return;
  const known = await parts.accounts.read([...new Set(watched.map(({ account }) => account))]);
  const market = await readMarks(parts, [...known.values()]);
  for (const one of watched) {
    const account = known.get(one.account);
    const note = one.endpoint.margins?.[one.account];
    if (note?.toWrite !== undefined) await writeDeliveries(parts, one, note);
    if (account !== undefined) await judge(parts, one, { account, now: marginNow(account, market, parts.marketNow()) });
  }
}

/** The marks of all coins that these accounts have positions in. */
async function readMarks({ redis, marketMaxAgeMs }: WatchParts, accounts: readonly KnownAccount[]): Promise<LiveMarket> {
  const market = new LiveMarket({ maxAgeMs: marketMaxAgeMs });
  const coins = new Set(accounts.flatMap(({ positions }) => [...positions.values()].map(({ coin }) => coin)));
  if (coins.size > 0) market.load(await readFields(redis, ['meta', ...[...coins].map((coin) => `ctx:${coin}`)]), '0-0');
  return market;
}

async function readFields(redis: Redis, fields: readonly string[]): Promise<Record<string, string>> {
  const texts = await redis.hmget(marketKeys.state, ...fields);
  return Object.fromEntries(fields.flatMap((field, i) => (typeof texts[i] === 'string' ? [[field, texts[i]]] : [])));
}

async function judge(
  parts: WatchParts,
  one: WatchedAccount,
  { account, now }: { readonly account: KnownAccount; readonly now: MarginNow },
): Promise<void> {
  const { endpoint } = one;
  const before = endpoint.margins?.[one.account];
  const { told, crossed } = marginCrossings(before?.told ?? [], now, settingsOf(endpoint).marginPercents);
  if (crossed.length === 0 && told.length === (before?.told.length ?? 0)) return;
  if ((await new AlertDeliveries(parts.mongo).count(endpoint._id, 'waiting')) >= WAITING_MAX) return;
  const changes = (before?.changes ?? 0) + 1;
  const nowMs = parts.now();
  const timestamp = new Date(nowMs).toISOString();
  const toWrite = crossed.map((percent, i): NewDelivery => {
    const data = marginData(now, percent);
    return {
      _id: deliveryId(endpoint._id, one.account, account.seq, placeAt(nowMs, i)),
      ...{ endpoint: endpoint._id, userId: endpoint.userId, lane: one.account, type: 'margin' },
      body: messageBody({ type: 'margin', timestamp, data }, { account: one.account, seq: account.seq }),
    };
  });
  const isMine = await new AlertNotes(parts.mongo).marginChanged(endpoint._id, one.account, { before, told, toWrite });
  if (isMine && toWrite.length > 0) await writeDeliveries(parts, one, { told, changes, toWrite });
}

async function writeDeliveries({ mongo, realNow }: WatchParts, one: WatchedAccount, note: MarginNote): Promise<void> {
  const now = new Date(realNow());
  await new AlertDeliveries(mongo).add(note.toWrite ?? [], now);
  await new AlertEndpoints(mongo).wake(one.endpoint._id, now);
  await new AlertNotes(mongo).marginWritten(one.endpoint._id, one.account, note.changes);
}
