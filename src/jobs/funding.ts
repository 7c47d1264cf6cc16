// Pays funding at 00, 08 and 16 UTC (FUNDING_SETTLE_HOURS): one command for each shard and settlement, with the
// venue's rate and the oracle price of every hour in it. Late, twice or after days the job writes the same commands,
// in order. While a number of an hour is missing it waits, but not for long: then the other coins are settled without it,
// and its coin is paid at a later settlement.
import type { FundingChange, MetaChange } from '../market/domain/feed.ts';
import { hourOf } from '../market/domain/fundingHour.ts';
import { readChange } from '../market/domain/marketForms.ts';
import { marketKeys, shardKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { type CoinHours, hoursToSettle, type MissingHour, settlementAfter } from './domain/fundingPeriod.ts';
import type { JobParts, RepeatableJob } from './job.ts';
import { lastPeriodOf, submitShardCommand } from './running/shardMailbox.ts';

const NAME = 'funding';
/** How many missing hours one log line names. */
const NAMED_MAX = 5;
/**
 * From when a settlement was first found waiting for a number, ms. The leader asks the live venue for all coins' rates within
 * some twelve minutes, and after an outage for oracle prices as well; what is not there by then may not come for days.
 */
const WAITS_MS = 45 * 60_000;
/** Where the shard's periods are: the settlement that was found waiting, and since when. One record serves all shards. */
const WAITING = { shard: 0, field: 'funding-waits' } as const;

export const funding: RepeatableJob = {
  name: NAME,
  everyMs: 10_000,
  async run(parts) {
    const { config, redis, now } = parts;
    const shards = Array.from({ length: config.SHARDS }, (_, shard) => shard);
    const lasts = await Promise.all(shards.map((shard) => lastPeriodOf(redis, shard, NAME)));
    const isDue = (last: number | undefined) => last === undefined || settlementAfter(last, config.FUNDING_SETTLE_HOURS) <= now();
    if (!lasts.some(isDue)) return;
    const coins = await readCoins(redis);
    const [first] = coins.map(({ sinceMs }) => sinceMs).sort((a, b) => a - b);
    // Before its first record the market had no price, so no account had a position.
    if (first === undefined) return;
    for (const shard of shards) {
      const last = lasts[shard] ?? hourOf(first);
      if (!(await settleShard(parts, { shard, last, coins }))) return;
    }
  },
};

/** Writes every settlement that is due for the shard, oldest first. False when one waits for numbers, as it does for every shard. */
async function settleShard(
  parts: JobParts,
  { shard, last, coins }: { shard: number; last: number; coins: readonly CoinHours[] },
): Promise<boolean> {
  const { config, redis, log, formats, now, trace } = parts;
  let afterMs = last;
  for (;;) {
    const throughMs = settlementAfter(afterMs, config.FUNDING_SETTLE_HOURS);
    if (throughMs > now()) return true;
    const { hours, missing } = hoursToSettle(coins, { afterMs, throughMs });
    if (missing.length > 0 && (await mustWait(parts, { throughMs, missing }))) return false;
    const command = { type: 'settleFunding', throughMs, hours } as const;
    const submitted = await submitShardCommand(redis, {
      shard,
      job: NAME,
      periodMs: throughMs,
      command,
      format: formats.current,
      trace,
    });
    if (submitted === 'full') {
      log.warn({ shard, throughMs }, 'funding waits: the shard’s mailbox is full');
      return true;
    }
    if (submitted === 'queued') log.info({ shard, settlement: new Date(throughMs).toISOString() }, 'funding settlement begun');
    afterMs = throughMs;
  }
}

/** True for `WAITS_MS` from when this settlement, or a later one, was first found without its numbers. Kept in Redis: a restart waits no longer. */
async function mustWait(
  { redis, log, now }: JobParts,
  { throughMs, missing }: { throughMs: number; missing: readonly MissingHour[] },
): Promise<boolean> {
  const key = shardKeys.jobs(WAITING.shard);
  const named = { missing: missing.length, some: missing.slice(0, NAMED_MAX), settlement: new Date(throughMs).toISOString() };
  const [waitingMs = 0, sinceMs = 0] = ((await redis.hget(key, WAITING.field)) ?? '').split(' ').map(Number);
  if (throughMs > waitingMs) await redis.hset(key, WAITING.field, `${throughMs} ${now()}`);
  else if (now() - sinceMs >= WAITS_MS) {
    log.warn(named, 'funding is settled without rates: their coins are paid when they are known');
    return false;
  }
  log.warn(named, 'funding waits for rates');
  return true;
}

/** The funding hours that the market leader has recorded, by coin. */
async function readCoins(redis: Redis): Promise<CoinHours[]> {
  const metaText = await redis.hget(marketKeys.state, 'meta');
  if (metaText === null) return [];
  const { meta } = readChange<MetaChange>(metaText);
  const texts = await redis.hmget(marketKeys.state, ...meta.universe.map(({ name }) => `funding:${name}`));
  return texts.flatMap((text, index) => {
    if (text === null) return [];
    const { coin, sinceMs, hours } = readChange<FundingChange>(text);
    return [{ coin, sinceMs, hours, isDelisted: meta.universe[index]?.isDelisted === true }];
  });
}
