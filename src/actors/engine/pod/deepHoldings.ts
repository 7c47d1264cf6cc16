// Has the market's leader keep the aggregated book of each coin in which an account of this pod holds, or has open orders or slices of TWAPs for, more
// than is displayed (trading-rules 3.5): a stop, a slice or a liquidation may need it at any moment, and none of them can wait for it.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { type DeepWant, writeDeepWants } from '../../../shared/venue/deepWants.ts';
import type { Account } from '../../core/account/account.ts';
import { largestSlice } from '../../core/account/twap.ts';
import type { Side } from '../../core/messages/order.ts';

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
    const held = new DeepSizes(market);
    let count = 0;
    for (const account of [...accounts()]) {
      if (++count % ACCOUNTS_PER_TURN === 0) await nextTurn();
      held.note(account);
    }
    if (!this.#isStopped) await writeDeepWants(redis, this.#name, held.wants(realNow() + WANT_MS));
  }
}

/** What accounts hold beyond the displayed levels, at the books of one moment. */
export class DeepSizes {
  readonly #market: Pick<LiveMarket, 'asset' | 'bookText'>;
  /** By asset: the coin, and what a buy and a sell find displayed; undefined without a book. */
  readonly #displayed = new Map<number, (Readonly<Record<Side, number>> & { readonly coin: string }) | undefined>();
  /** By coin, the most that is held, and by whom anything is. */
  readonly #held = new Map<string, { coins: number; readonly accounts: string[] }>();
  readonly #coinsOf = new Map<string, number>();

  constructor(market: Pick<LiveMarket, 'asset' | 'bookText'>) {
    this.#market = market;
  }

  /** Notes the account's positions, orders, triggers and running TWAPs. A stop without a size is as large as its position. */
  note({ id, positions, orders, triggers, twaps }: Account): void {
    const largest = new Map<string, number>();
    const look = (asset: number, side: Side, size: number): void => {
      if (!this.#displayed.has(asset)) this.#displayed.set(asset, this.#displayedOf(asset));
      const shown = this.#displayed.get(asset);
      if (shown !== undefined && size > shown[side]) largest.set(shown.coin, Math.max(size, largest.get(shown.coin) ?? 0));
    };
    for (const [asset, { signedSize }] of positions)
      look(asset, signedSize.isNeg() ? 'buy' : 'sell', signedSize.abs().toNumber());
    for (const open of [orders, triggers]) for (const { asset, side, size } of open.values()) look(asset, side, Number(size));
    for (const twap of twaps.values()) look(twap.asset, twap.side, largestSlice(twap).toNumber());
    for (const [coin, coins] of largest) {
      const held = this.#held.get(coin) ?? { coins: 0, accounts: [] };
      held.coins = Math.max(held.coins, coins);
      held.accounts.push(id);
      this.#held.set(coin, held);
    }
    if (largest.size > 0) this.#coinsOf.set(id, largest.size);
  }

  /** By coin, in the name of the account that holds the fewest such coins. */
  wants(untilMs: number): Map<string, DeepWant> {
    const countOf = (id: string): number => this.#coinsOf.get(id) ?? 0;
    return new Map(
      [...this.#held].map(([coin, { coins, accounts }]) => {
        const owner = accounts.reduce((best, id) => (countOf(id) < countOf(best) ? id : best));
        return [coin, { kind: 'held', coins, untilMs, owner }];
      }),
    );
  }

  #displayedOf(asset: number): (Readonly<Record<Side, number>> & { readonly coin: string }) | undefined {
    const coin = this.#market.asset(asset)?.coin;
    const book = coin === undefined ? undefined : this.#market.bookText(coin);
    if (coin === undefined || book === undefined) return undefined;
    const sumOf = (levels: typeof book.bids): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
    return { coin, buy: sumOf(book.asks), sell: sumOf(book.bids) };
  }
}
