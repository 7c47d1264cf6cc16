// Pays funding at 00, 08 and 16 UTC (FUNDING_SETTLE_HOURS): one command for each shard and settlement, with the venue's
// rate and the oracle price of every hour that is known. Coins with an unknown hour wait alone: the shard gets the
// settlement once more with each number that comes. Late, twice or after days the job writes the same settlements, in order.
import { type FundingChange, type MetaChange, readChange } from '../market/domain/feed.ts';
import { hourOf } from '../market/domain/fundingRecords.ts';
import type { JobParts, RepeatableJob } from '../shared/deployment/job.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/domain/units.ts';
import { FUNDING_WAITS, marketKeys, shardKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import {
  type CoinHours,
  type FundingWaits,
  hoursToSettle,
  type MissingHours,
  readWaits,
  settlementAfter,
  settlementBefore,
  waitingCoins,
  writeWaits,
} from './domain/fundingPeriod.ts';
import { type Submitted, submitShardCommand } from './shardMailbox.ts';

const NAME = 'funding';
/** How many waiting coins one log line names. */
const NAMED_MAX = 5;
/**
 * From the settlement's beginning, ms. The leader asks the live venue for all coins' rates within some twelve minutes, and after an
 * outage for oracle prices as well; what is not there by then may not come for days, and a coin is paid up to there.
 */
const WAITS_MS = 45 * MINUTE_MS;

/** What a shard was asked so far. */
interface ShardFunding {
  readonly shard: number;
  /** Period of its last command: the settlement, plus one for each time that the settlement was repeated. */
  readonly last: number | undefined;
  /** Of the settlement that it names; another one has to be begun. */
  readonly waits: FundingWaits | undefined;
}

/** One look of the job. */
interface Look {
  readonly parts: JobParts;
  readonly coins: readonly CoinHours[];
  /** The newest settlement. */
  readonly dueMs: number;
  readonly nowMs: number;
}

export const funding: RepeatableJob = {
  name: NAME,
  everyMs: 10_000,
  async run(parts) {
    const { config, redis, now } = parts;
    const nowMs = now();
    const dueMs = settlementBefore(nowMs, config.FUNDING_SETTLE_HOURS);
    const shards = await Promise.all(Array.from({ length: config.SHARDS }, (_, shard) => readShard(redis, shard)));
    const toBegin = shards.filter(({ last = 0, waits }) => last < dueMs || waits?.throughMs !== dueMs);
    const waiting = new Set(shards.flatMap(({ waits }) => [...(waits?.coins.keys() ?? [])]));
    if (toBegin.length === 0 && waiting.size === 0) return;
    const coins = await readCoins(redis, toBegin.length === 0 ? waiting : undefined);
    const [first] = coins.map(({ sinceMs }) => sinceMs).sort((a, b) => a - b);
    // Before its first record the market had no price, so no account had a position.
    if (first === undefined) return;
    const look = { parts, coins, dueMs, nowMs };
    for (const one of shards) {
      const last = one.last ?? hourOf(first);
      if (one.last === undefined && last >= dueMs) continue;
      if (toBegin.includes(one)) await begin(look, { ...one, last });
      else if (one.waits) await goOn(look, { shard: one.shard, last, waits: one.waits });
    }
  },
};

/** Writes every settlement that is due for the shard, oldest first; the newest again when nobody knows what it waits for. */
async function begin(look: Look, { shard, last, waits }: ShardFunding & { last: number }): Promise<void> {
  const { parts, coins, dueMs, nowMs } = look;
  const { config, redis, log } = parts;
  const sinceMs = waits?.throughMs === dueMs ? waits.sinceMs : nowMs;
  const begun = { throughMs: dueMs, sinceMs, isLate: false, coins: waitingCoins(coins, dueMs) };
  // Before the commands: a crash behind them leaves nothing that waits and is not noted.
  await note(redis, shard, begun);
  if (begun.coins.size > 0) say(look, { shard, coins: begun.coins, text: 'funding waits for rates' });
  let afterMs = Math.min(hourOf(last), dueMs - 1);
  do {
    const throughMs = settlementAfter(afterMs, config.FUNDING_SETTLE_HOURS);
    const hours = hoursToSettle(coins, {
      afterMs: Math.min(afterMs, throughMs - config.FUNDING_SETTLE_HOURS * HOUR_MS),
      throughMs,
    });
    const periodMs = Math.max(throughMs, last + 1);
    const submitted = await submit(look, { shard, periodMs, command: { type: 'settleFunding', throughMs, hours } });
    if (submitted === 'full') {
      log.warn({ shard, throughMs }, 'funding waits: the shard’s mailbox is full');
      return;
    }
    // Another process has written it, perhaps with other numbers: the next look begins the settlement again.
    if (submitted === 'known') {
      await redis.hdel(shardKeys.jobs(shard), FUNDING_WAITS);
      return;
    }
    log.info({ shard, settlement: new Date(throughMs).toISOString() }, 'funding settlement begun');
    afterMs = throughMs;
  } while (afterMs < dueMs);
}

/** Repeats the settlement when a number of a waiting coin has come, and once when it has waited for long. */
async function goOn(look: Look, { shard, last, waits }: { shard: number; last: number; waits: FundingWaits }): Promise<void> {
  const { parts, coins, dueMs, nowMs } = look;
  const isLate = waits.isLate || (waits.coins.size > 0 && nowMs - waits.sinceMs >= WAITS_MS);
  const left = waitingCoins(
    coins.filter(({ coin }) => waits.coins.has(coin)),
    dueMs,
  );
  const changed = new Map([...waits.coins].filter(([coin, { count }]) => left.get(coin)?.count !== count));
  if (changed.size === 0 && isLate === waits.isLate) return;
  const firstMs = Math.min(...[...changed.values()].map((missing) => missing.firstMs), dueMs);
  const hours = hoursToSettle(
    coins.filter(({ coin }) => changed.has(coin)),
    { afterMs: Math.min(firstMs, dueMs - (parts.config.FUNDING_SETTLE_HOURS - 1) * HOUR_MS) - HOUR_MS, throughMs: dueMs },
  );
  const command = { type: 'settleFunding', throughMs: dueMs, hours, ...(isLate && { late: true as const }) } as const;
  // A shard that has not done the last command yet is asked again at the next look.
  if ((await submit(look, { shard, periodMs: last + 1, command, mailboxMax: 1 })) !== 'queued') return;
  await note(parts.redis, shard, { ...waits, isLate, coins: left });
  if (isLate && left.size > 0)
    say(look, { shard, coins: left, text: 'funding is settled without rates: coins are paid up to the first unknown hour' });
}

type ToSubmit = Pick<Parameters<typeof submitShardCommand>[1], 'shard' | 'periodMs' | 'command' | 'mailboxMax'>;

async function submit({ parts }: Look, options: ToSubmit): Promise<Submitted> {
  const { redis, formats, trace } = parts;
  return await submitShardCommand(redis, { ...options, job: NAME, format: formats.current, trace });
}

async function note(redis: Redis, shard: number, waits: FundingWaits): Promise<void> {
  await redis.hset(shardKeys.jobs(shard), FUNDING_WAITS, writeWaits(waits));
}

/** Once, not for every shard: all of them wait for the same. */
function say(
  { parts, dueMs }: Look,
  { shard, coins, text }: { shard: number; coins: ReadonlyMap<string, MissingHours>; text: string },
): void {
  const some = [...coins].slice(0, NAMED_MAX).map(([coin, { firstMs }]) => ({ coin, hour: new Date(firstMs).toISOString() }));
  if (shard === 0) parts.log.warn({ coins: coins.size, some, settlement: new Date(dueMs).toISOString() }, text);
}

async function readShard(redis: Redis, shard: number): Promise<ShardFunding> {
  const [last, waits] = await redis.hmget(shardKeys.jobs(shard), NAME, FUNDING_WAITS);
  return { shard, last: last ? Number(last) : undefined, waits: waits ? readWaits(waits) : undefined };
}

/** The funding hours that the market leader has recorded, of these coins or of all. */
async function readCoins(redis: Redis, only?: ReadonlySet<string>): Promise<CoinHours[]> {
  const metaText = await redis.hget(marketKeys.state, 'meta');
  if (metaText === null) return [];
  const { meta } = readChange<MetaChange>(metaText);
  const listed = meta.universe.filter(({ name }) => only?.has(name) ?? true);
  if (listed.length === 0) return [];
  const texts = await redis.hmget(marketKeys.state, ...listed.map(({ name }) => `funding:${name}`));
  return texts.flatMap((text, index) => {
    if (text === null) return [];
    const { coin, sinceMs, hours } = readChange<FundingChange>(text);
    return [{ coin, sinceMs, hours, isDelisted: listed[index]?.isDelisted === true }];
  });
}
