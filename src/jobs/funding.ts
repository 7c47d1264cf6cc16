// Pays funding at 00, 08 and 16 UTC (FUNDING_SETTLE_HOURS): one command for each shard and settlement, with the
// venue's rate and the oracle price of every hour in it. Late, twice or after days the job writes the same commands,
// in order. While a number of an hour is missing it waits.
import type { FundingChange, MetaChange } from '../market/domain/feed.ts';
import { hourOf } from '../market/domain/fundingHour.ts';
import { readChange } from '../market/domain/marketForms.ts';
import { marketKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { type CoinHours, hoursToSettle, type MissingHour, settlementAfter } from './domain/fundingPeriod.ts';
import type { JobParts, RepeatableJob } from './job.ts';
import { lastPeriodOf, submitShardCommand } from './running/shardMailbox.ts';

const NAME = 'funding';
/** How many missing hours one log line names. */
const NAMED_MAX = 5;

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
      const waitsFor = await settleShard(parts, { shard, last, coins });
      if (waitsFor.length === 0) continue;
      parts.log.warn({ missing: waitsFor.length, some: waitsFor.slice(0, NAMED_MAX) }, 'funding waits for rates');
      return;
    }
  },
};

/** Writes every settlement that is due for the shard, oldest first. Returns the hours that the first blocked one waits for. */
async function settleShard(
  { config, redis, log, formats, now, trace }: JobParts,
  { shard, last, coins }: { shard: number; last: number; coins: readonly CoinHours[] },
): Promise<readonly MissingHour[]> {
  let afterMs = last;
  for (;;) {
    const throughMs = settlementAfter(afterMs, config.FUNDING_SETTLE_HOURS);
    if (throughMs > now()) return [];
    const { hours, missing } = hoursToSettle(coins, { afterMs, throughMs });
    if (missing.length > 0) return missing;
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
      return [];
    }
    if (submitted === 'queued') log.info({ shard, settlement: new Date(throughMs).toISOString() }, 'funding settlement begun');
    afterMs = throughMs;
  }
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
