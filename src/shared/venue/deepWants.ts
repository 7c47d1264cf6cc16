// Who wants the aggregated book of a coin (trading-rules 3.5): nodes that are about to send a large order, and pods whose accounts hold more than
// is displayed. The market's leader reads it. A want ends by itself, so a process that dies leaves nothing for long.
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';

/** Without a new want nothing of the key stays, ms. */
const TTL_MS = 120_000;

/** How much of a coin is to be found in its book, and until when, by Redis's clock. */
export interface DeepWant {
  readonly coins: number;
  readonly untilMs: number;
}

/**
 * Replaces what this process wants of the coins.
 * @param wants by coin
 */
export async function writeDeepWants(redis: Redis, process: string, wants: ReadonlyMap<string, DeepWant>): Promise<void> {
  if (wants.size === 0) return;
  const fields = [...wants].flatMap(([coin, { coins, untilMs }]) => [`${coin} ${process}`, `${untilMs} ${coins}`]);
  await redis
    .multi()
    .hset(marketKeys.deepWants, ...fields)
    .pexpire(marketKeys.deepWants, TTL_MS)
    .exec();
}

/** The largest want of each coin; wants that have ended are removed. */
export async function readDeepWants(redis: Redis, nowMs: number): Promise<Map<string, number>> {
  const wanted = new Map<string, number>();
  const ended: string[] = [];
  for (const [field, text] of Object.entries(await redis.hgetall(marketKeys.deepWants))) {
    const [coin = ''] = field.split(' ');
    const [untilMs = 0, coins = 0] = text.split(' ').map(Number);
    if (untilMs > nowMs) wanted.set(coin, Math.max(coins, wanted.get(coin) ?? 0));
    else ended.push(field);
  }
  if (ended.length > 0) await redis.hdel(marketKeys.deepWants, ...ended);
  return wanted;
}
