// Who wants the aggregated book of a coin (trading-rules 3.5): pods whose accounts hold more than is displayed, and nodes that are about to send a
// large order. The market's leader reads it. A want ends by itself, so a process that dies leaves nothing for long. A process has one want of a coin
// at most, so the hash is bounded by coins and processes, whatever users ask.
import { marketKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';

/** Without a new want nothing of the key stays, ms. */
const TTL_MS = 120_000;

/** How much of a coin is to be found in its book, and until when, by Redis's clock. */
export interface DeepWant {
  /** `held`: a position or an open order may need it at any moment. `asked`: an order that is about to be sent. */
  readonly kind: 'held' | 'asked';
  readonly coins: number;
  readonly untilMs: number;
  /** Whose turn a question for it is: of the accounts that hold it, or the users who ask, the one with the fewest other coins. */
  readonly owner: string;
}

/**
 * Replaces what this process wants of the coins.
 * @param wants by coin
 */
export async function writeDeepWants(redis: Redis, process: string, wants: ReadonlyMap<string, DeepWant>): Promise<void> {
  if (wants.size === 0) return;
  const fields = [...wants].flatMap(([coin, { kind, coins, untilMs, owner }]) => [
    `${coin} ${process}`,
    `${untilMs} ${coins} ${kind} ${owner}`,
  ]);
  await redis
    .multi()
    .hset(marketKeys.deepWants, ...fields)
    .pexpire(marketKeys.deepWants, TTL_MS)
    .exec();
}

/** The wants of each coin, of all processes; wants that have ended are removed. */
export async function readDeepWants(redis: Redis, nowMs: number): Promise<Map<string, DeepWant[]>> {
  const wanted = new Map<string, DeepWant[]>();
  const ended: string[] = [];
  for (const [field, text] of Object.entries(await redis.hgetall(marketKeys.deepWants))) {
    const [coin = ''] = field.split(' ');
    const [until, coins, kind, owner = ''] = text.split(' ');
    const want: DeepWant = { kind: kind === 'held' ? 'held' : 'asked', coins: Number(coins), untilMs: Number(until), owner };
    if (want.untilMs > nowMs) wanted.set(coin, [...(wanted.get(coin) ?? []), want]);
    else ended.push(field);
  }
  if (ended.length > 0) await redis.hdel(marketKeys.deepWants, ...ended);
  return wanted;
}
