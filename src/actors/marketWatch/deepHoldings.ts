// Has the market's leader keep the aggregated book of each coin in which an account of this pod holds, or has open orders for, more than is displayed
// (trading-rules 3.5): a stop or a liquidation may need it at any moment, and neither can wait for it.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { type DeepWant, writeDeepWants } from '../../shared/venue/deepWants.ts';
import type { Account } from '../domain/account/account.ts';

const EVERY_MS = 10_000;
/** Longer than one round, so that a slow one loses nothing. */
const WANT_MS = 30_000;
/** Accounts that are looked at in one turn of the event loop. */
const ACCOUNTS_PER_TURN = 500;

export interface DeepHoldingsParts {
  readonly redis: Redis;
  readonly market: LiveMarket;
  readonly log: Logger;
  /** By Redis's clock. */
  readonly realNow: () => number;
  readonly accounts: () => Iterable<Account>;
}

/** The largest holding or order of any account, coins, by what would take it. */
export interface Largest {
  buy: number;
  sell: number;
}

export class DeepHoldings {
  readonly #parts: DeepHoldingsParts;
  readonly #name = randomBytes(6).toString('hex');
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: DeepHoldingsParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'large holdings could not be told, trying again'))
        .finally(() => {
          if (!this.#isStopped) this.start();
        });
    }, EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { redis, accounts, market, realNow } = this.#parts;
    const largest = new Map<number, Largest>();
    let count = 0;
    for (const account of [...accounts()]) {
      if (++count % ACCOUNTS_PER_TURN === 0) await nextTurn();
      noteLargest(largest, account);
    }
    if (this.#isStopped) return;
    const untilMs = realNow() + WANT_MS;
    const wants = new Map<string, DeepWant>();
    for (const [coin, coins] of beyondDisplayed(largest, market)) wants.set(coin, { coins, untilMs });
    await writeDeepWants(redis, this.#name, wants);
  }
}

/** Notes the account's positions, orders and triggers. */
export function noteLargest(largest: Map<number, Largest>, { positions, orders, triggers }: Account): void {
  const note = (asset: number, side: keyof Largest, size: number): void => {
    const known = largest.get(asset) ?? { buy: 0, sell: 0 };
    known[side] = Math.max(known[side], size);
    largest.set(asset, known);
  };
  for (const [asset, { signedSize }] of positions) note(asset, signedSize.isNeg() ? 'buy' : 'sell', signedSize.abs().toNumber());
  for (const open of [orders, triggers]) for (const { asset, side, size } of open.values()) note(asset, side, Number(size));
}

/** Coins of which more is held than one side displays, with how much. */
export function beyondDisplayed(
  largest: ReadonlyMap<number, Largest>,
  market: Pick<LiveMarket, 'asset' | 'bookText'>,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const [asset, { buy, sell }] of largest) {
    const coin = market.asset(asset)?.coin;
    const book = coin === undefined ? undefined : market.bookText(coin);
    if (coin === undefined || book === undefined) continue;
    const sumOf = (levels: typeof book.bids): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
    const most = Math.max(buy > sumOf(book.asks) ? buy : 0, sell > sumOf(book.bids) ? sell : 0);
    if (most > 0) found.set(coin, most);
  }
  return found;
}
