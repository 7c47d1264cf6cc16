// Looks at what no event tells: how near accounts are to a liquidation, which house rules are broken, and whether bots have gone
// silent. From the snapshots of the accounts, the marks in Redis, and the last uses of keys: the actors do nothing for it.

import { LiveMarket } from '../../../market/domain/liveMarket.ts';
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { type ApiKeyDocument, KeyStore } from '../../../shared/mongo/keyStore.ts';
import { apiKeyKeys, marketKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AlertKind } from '../rules/alertKinds.ts';
import { type MarginNow, marginCrossings, marginData, marginNow } from '../rules/thresholds.ts';
import { newDelivery, orderAt } from '../store/alertDeliveries.ts';
import { AlertNotes, type MarginNote, settingsOf } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { putDeliveries, roomOf } from './tellRows.ts';
import { accountsOf, type BrokenRule, type KnownAccount, ownersOf, type WatchedAccount, type WatchParts } from './watchParts.ts';

const WATCHED: readonly AlertKind[] = ['margin', 'house_rule', 'bot_silent'];

/** One look at all endpoints that are told of such. */
export async function watchAccounts(parts: WatchParts): Promise<void> {
  for await (const step of new AlertEndpoints(parts.mongo).active(WATCHED)) {
    const owners = await ownersOf(parts.mongo, step);
    const of = (kind: AlertKind): WatchedAccount[] =>
      step.flatMap((endpoint) => {
        const owner = endpoint.kinds.includes(kind) ? owners.get(endpoint.userId) : undefined;
        return owner === undefined ? [] : accountsOf(endpoint, owner).map((account) => ({ endpoint, account }));
      });
    await watchMargins(parts, of('margin'));
    await watchHouseRules(parts, of('house_rule'));
    await watchSilence(parts, of('bot_silent'), owners);
  }
}

// Tells when the margin ratio of an account crosses a threshold of an endpoint. The change and its deliveries are one write at the
// endpoint, and the deliveries are made from that: when a process dies in between, the next look writes them.

/** After what the history tells of the same entry (fillOutbox.ts). */
const AFTER_ROWS = '9';
const TIME_DIGITS = 15;

/** By the time: what is told later of the same entry comes later, also where the changes are counted anew. */
const placeAt = (timeMs: number, i: number): string => `${AFTER_ROWS}-margin-${String(timeMs).padStart(TIME_DIGITS, '0')}-${i}`;

async function watchMargins(parts: WatchParts, watched: readonly WatchedAccount[]): Promise<void> {
  if (watched.length === 0) return;
  const known = await parts.accounts.read([...new Set(watched.map(({ account }) => account))]);
  const market = await readMarks(parts, [...known.values()]);
  for (const one of watched) {
    const account = known.get(one.account);
    const note = one.endpoint.margins?.[one.account];
    if (note?.toWrite !== undefined) await writeDeliveries(parts, one, note);
    if (account !== undefined) await judgeMargin(parts, one, { account, now: marginNow(account, market, parts.marketNow()) });
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

async function judgeMargin(
  parts: WatchParts,
  one: WatchedAccount,
  { account, now }: { readonly account: KnownAccount; readonly now: MarginNow },
): Promise<void> {
  const { endpoint, account: lane } = one;
  const before = endpoint.margins?.[lane];
  const { told, crossed } = marginCrossings(before?.told ?? [], now, settingsOf(endpoint).marginPercents);
  if (crossed.length === 0 && told.length === (before?.told.length ?? 0)) return;
  if ((await roomOf(parts.mongo, endpoint)) <= 0) return;
  const changes = (before?.changes ?? 0) + 1;
  const [timeMs, { seq }] = [parts.now(), account];
  const toWrite = crossed.map((percent, i) => {
    const data = { account: lane, seq, ...marginData(now, percent) };
    return newDelivery(endpoint, { lane, seq, place: placeAt(timeMs, i) }, { type: 'margin', timeMs, data });
  });
  const isMine = await new AlertNotes(parts.mongo).marginChanged(endpoint._id, lane, { before, told, toWrite });
  if (isMine && toWrite.length > 0) await writeDeliveries(parts, one, { told, changes, toWrite });
}

async function writeDeliveries(parts: WatchParts, { endpoint, account }: WatchedAccount, note: MarginNote): Promise<void> {
  await putDeliveries(parts, endpoint, note.toWrite ?? []);
  await new AlertNotes(parts.mongo).marginWritten(endpoint._id, account, note.changes);
}

// Tells of house rules that are broken. Which are stands in the state of the account, with the time of each, so a breach has a name of its
// own: it is told once, whatever dies in between, and again when the rule is broken anew. It is told after what the history tells of the
// entry that was looked at, and before what comes later.

async function watchHouseRules(parts: WatchParts, watched: readonly WatchedAccount[]): Promise<void> {
  if (watched.length === 0) return;
  const known = await parts.accounts.read([...new Set(watched.map(({ account }) => account))]);
  for (const one of watched) {
    const account = known.get(one.account);
    if (account !== undefined) await tell(parts, one, account);
  }
}

const nameOf = ({ rule, coin = '', timeMs }: BrokenRule): string => `${timeMs} ${rule} ${coin}`;

async function tell(parts: WatchParts, { endpoint, account }: WatchedAccount, known: KnownAccount): Promise<void> {
  const told = endpoint.brokenRules?.[account] ?? [];
  const names = known.broken.map(nameOf);
  if (names.length === told.length && names.every((name) => told.includes(name))) return;
  if ((await roomOf(parts.mongo, endpoint)) <= 0) return;
  const fresh = known.broken.filter((broken) => !told.includes(nameOf(broken)));
  const made = fresh.map(({ rule, act, coin = null, found = null, timeMs }) => {
    const data = { account, seq: known.seq, rule: RULE_NAMES[rule], act, coin, found };
    const place = `house-${rule}-${Buffer.from(coin ?? '').toString('hex')}`;
    const order = orderAt(known.seq, `${AFTER_ROWS}-${place}`);
    return newDelivery(endpoint, { lane: account, seq: timeMs, place, order }, { type: 'house_rule', timeMs, data });
  });
  await putDeliveries(parts, endpoint, made);
  await new AlertNotes(parts.mongo).rulesTold(endpoint._id, account, names);
}

/** As `GET …/account/rules` names them. */
const RULE_NAMES: Readonly<Record<BrokenRule['rule'], string>> = {
  dailyLoss: 'daily_loss',
  drawdown: 'drawdown',
  hours: 'hours',
  coins: 'coins',
};

// Tells when no API key of an account has made a request for as long as an endpoint says. The keys of an account are those bound to it;
// of the master account those that are bound to none. A silence is named by the last request before it, so it is told once, after those
// alerts of the account that are made by then.

/** Redis knows each use after this, ms: nodes write theirs once a second (src/api/access/lastUses.ts). */
const NOTED_WITHIN_MS = 2000;
const SILENCE_PLACE = 'silent';

async function watchSilence(
  parts: WatchParts,
  watched: readonly WatchedAccount[],
  owners: ReadonlyMap<string, { readonly address: string }>,
): Promise<void> {
  if (watched.length === 0) return;
  const keys = await new KeyStore(parts.mongo).listActiveOf([...new Set(watched.map(({ endpoint }) => endpoint.userId))]);
  for (const one of watched) {
    const { userId } = one.endpoint;
    const isMaster = owners.get(userId)?.address === one.account;
    const own = keys.filter(
      (key) => key.userId === userId && (key.account ?? (isMaster ? one.account : undefined)) === one.account,
    );
    await judgeSilence(parts, one, own);
  }
}

async function judgeSilence(parts: WatchParts, one: WatchedAccount, keys: readonly ApiKeyDocument[]): Promise<void> {
  const { endpoint, account } = one;
  const { silentMinutes } = settingsOf(endpoint);
  const nowMs = parts.now();
  const beginsMs = (lastMs: number): number => lastMs + silentMinutes * MINUTE_MS;
  const isNew = (lastMs: number): boolean => {
    const timeMs = beginsMs(lastMs);
    const isOver = timeMs + NOTED_WITHIN_MS <= nowMs;
    return isOver && timeMs >= endpoint.createdAt.getTime() && lastMs > (endpoint.silences?.[account] ?? 0);
  };
  const notedMs = newestNote(keys);
  if (notedMs === 0 || beginsMs(notedMs) > nowMs) return;
  // MongoDB learns of a use some seconds later: only Redis knows the newest.
  const knownMs = Math.max(notedMs, await newestUse(parts, keys));
  if (!isNew(knownMs)) return;
  // A use that was moved from Redis to MongoDB between the two questions was in the answer of neither.
  const ids = new Set(keys.map(({ _id }) => _id));
  const again = await new KeyStore(parts.mongo).listActive(endpoint.userId);
  const lastMs = Math.max(knownMs, newestNote(again.filter(({ _id }) => ids.has(_id))));
  if (!isNew(lastMs)) return;
  if ((await roomOf(parts.mongo, endpoint)) <= 0) return;
  const data = {
    account,
    minutes: silentMinutes,
    last_request_at: new Date(lastMs).toISOString(),
    keys: keys.map(({ _id }) => _id),
  };
  const order = orderAt(endpoint.at[account] ?? 0, `${AFTER_ROWS}-${SILENCE_PLACE}`);
  const at = { lane: account, seq: lastMs, place: SILENCE_PLACE, order };
  const silence = newDelivery(endpoint, at, { type: 'bot_silent', timeMs: beginsMs(lastMs), data });
  await putDeliveries(parts, endpoint, [silence]);
  await new AlertNotes(parts.mongo).silenceTold(endpoint._id, account, lastMs);
}

/** By what MongoDB has of them, ms; 0 = none was ever used. */
const newestNote = (keys: readonly ApiKeyDocument[]): number =>
  Math.max(0, ...keys.map(({ lastUsedAt }) => lastUsedAt?.getTime() ?? 0));

/** By what Redis has of them, ms. */
async function newestUse({ redis }: WatchParts, keys: readonly ApiKeyDocument[]): Promise<number> {
  const times = await redis.hmget(apiKeyKeys.used, ...keys.map(({ _id }) => _id));
  return Math.max(0, ...times.map(Number).filter(Number.isSafeInteger));
}
