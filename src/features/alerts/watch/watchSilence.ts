// Tells when no API key of an account has made a request for as long as an endpoint says. The keys of an account are those bound to it;
// of the master account those that are bound to none. A silence is named by the last request before it, so it is told once, after those
// alerts of the account that are made by then.

import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { type ApiKeyDocument, KeyStore } from '../../../shared/mongo/keyStore.ts';
import { apiKeyKeys } from '../../../shared/redis/keys.ts';
import { WAITING_MAX } from '../rules/alertKinds.ts';
import { messageBody } from '../rules/alertMessage.ts';
import { AlertDeliveries, deliveryId, orderAt } from '../store/alertDeliveries.ts';
import { AlertNotes, settingsOf } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { WatchedAccount, WatchParts } from './watchParts.ts';

/** Redis knows each use after this, ms: nodes write theirs once a second (src/api/access/lastUses.ts). */
const NOTED_WITHIN_MS = 2000;
const PLACE = 'silent';
/** After what the history tells of the same entry (fillOutbox.ts). */
const AFTER_ROWS = '9';

export async function watchSilence(
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
    await judge(parts, one, own);
  }
}

async function judge(parts: WatchParts, one: WatchedAccount, keys: readonly ApiKeyDocument[]): Promise<void> {
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
  const deliveries = new AlertDeliveries(parts.mongo);
  if ((await deliveries.count(endpoint._id, 'waiting')) >= WAITING_MAX) return;
  const data = {
    account,
    minutes: silentMinutes,
    last_request_at: new Date(lastMs).toISOString(),
    keys: keys.map(({ _id }) => _id),
  };
  const now = new Date(parts.realNow());
  await deliveries.add(
    [
      {
        _id: deliveryId(endpoint._id, account, lastMs, PLACE),
        order: orderAt(endpoint.at[account] ?? 0, `${AFTER_ROWS}-${PLACE}`),
        ...{ endpoint: endpoint._id, userId: endpoint.userId, lane: account, type: 'bot_silent' },
        body: messageBody({ type: 'bot_silent', timestamp: new Date(beginsMs(lastMs)).toISOString(), data }, {}),
      },
    ],
    now,
  );
  await new AlertEndpoints(parts.mongo).wake(endpoint._id, now);
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
