// Before a command goes to its account, has the market's leader look deeper into a book that the command would go through (trading-rules 3.5). It
// waits for the answer half a second at most: then the order meets what is known. The account itself never waits.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountCommand, OrderRequest } from '../../actors/domain/messages/command.ts';
import type { Outcome } from '../../actors/domain/messages/outcome.ts';
import type { FeedLevel } from '../../market/domain/feed.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { type DeepWant, writeDeepWants } from '../../shared/venue/deepWants.ts';
import type { AccountGateway, SendOptions } from './accountGateway.ts';

/** Longest wait of a command, ms. */
const WAIT_MS_MAX = 500;
const LOOK_MS = 10;
/** How long a book is kept for who has asked, ms; and how often it is asked again while more orders come. */
const WANT_MS = 60_000;
const REPEAT_MS = 10_000;
/** Coarsest prices of the venue: there is no deeper book. */
const COARSEST_DIGITS = 2;

export interface DeepGatewayParts {
  readonly gateway: AccountGateway;
  readonly redis: Redis;
  readonly market: LiveMarket;
  readonly log: Logger;
  readonly now: () => number;
  /** By Redis's clock. */
  readonly realNow: () => number;
}

/** What the orders of a command want of one side of a coin's book. */
interface Wanted {
  readonly asset: number;
  readonly coin: string;
  readonly bookSide: 'bids' | 'asks';
  coins: number;
}

export class DeepGateway implements AccountGateway {
  readonly #parts: DeepGatewayParts;
  readonly #name = randomBytes(6).toString('hex');
  /** By coin; as many as are listed. */
  readonly #told = new Map<string, DeepWant>();

  constructor(parts: DeepGatewayParts) {
    this.#parts = parts;
  }

  async send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    const wanted = this.#wantedBy(command);
    if (wanted.length > 0) await this.#lookDeeper(wanted);
    return await this.#parts.gateway.send(accountId, command, options);
  }

  /** Sides of books of which more is wanted than is displayed. */
  #wantedBy(command: AccountCommand): Wanted[] {
    const { market } = this.#parts;
    const sides = new Map<string, Wanted>();
    for (const order of ordersOf(command)) {
      const coin = market.asset(order.asset)?.coin;
      const book = coin === undefined ? undefined : market.bookText(coin);
      const bookSide = order.side === 'buy' ? 'asks' : 'bids';
      const last = book?.shownTo[order.side === 'buy' ? 'ask' : 'bid'];
      if (coin === undefined || last === undefined || !isThrough(order, Number(last))) continue;
      const key = `${coin} ${bookSide}`;
      const side = sides.get(key) ?? { asset: order.asset, coin, bookSide, coins: 0 };
      side.coins += Number(order.size);
      sides.set(key, side);
    }
    return [...sides.values()].filter(({ coin, bookSide, coins }) => coins > sumOf(market.bookText(coin)?.[bookSide] ?? []));
  }

  async #lookDeeper(wanted: readonly Wanted[]): Promise<void> {
    const { log } = this.#parts;
    try {
      await this.#tell(wanted);
    } catch (error) {
      return log.warn({ err: error }, 'the leader could not be asked to look deeper into a book');
    }
    const endsAt = performance.now() + WAIT_MS_MAX;
    while (!wanted.every((one) => this.#isThere(one)) && performance.now() < endsAt) await sleep(LOOK_MS);
  }

  async #tell(wanted: readonly Wanted[]): Promise<void> {
    const { redis, realNow } = this.#parts;
    const nowMs = realNow();
    const news = new Map<string, DeepWant>();
    for (const { coin, coins } of wanted) {
      const told = this.#told.get(coin);
      const known = told !== undefined && told.untilMs > nowMs ? told : undefined;
      if (known !== undefined && known.coins >= coins && known.untilMs - nowMs > WANT_MS - REPEAT_MS) continue;
      news.set(coin, { coins: Math.max(coins, known?.coins ?? 0, news.get(coin)?.coins ?? 0), untilMs: nowMs + WANT_MS });
    }
    await writeDeepWants(redis, this.#name, news);
    for (const [coin, want] of news) this.#told.set(coin, want);
  }

  #isThere({ asset, coin, bookSide, coins }: Wanted): boolean {
    const { market, now } = this.#parts;
    const deep = market.deep(asset);
    if (deep === undefined || now() - deep.timeMs > market.maxAgeMs) return false;
    if (deep.digits[bookSide] === COARSEST_DIGITS) return true;
    const beyond = deep[bookSide].reduce((sum, { size }) => sum + size.toNumber(), 0);
    return sumOf(market.bookText(coin)?.[bookSide] ?? []) + beyond >= coins;
  }
}

/** Orders that a command would place, or try out. */
function ordersOf(command: AccountCommand): readonly OrderRequest[] {
  if (command.type === 'placeOrders') return command.orders;
  if (command.type === 'modifyOrders') return command.modifies.map(({ order }) => order);
  return command.type === 'query' && command.query.kind === 'dryRun' ? ordersOf(command.query.command) : [];
}

/** It may cross, and beyond the last displayed price. */
function isThrough({ type, side, limitPrice }: OrderRequest, last: number): boolean {
  if (type.kind !== 'limit' || type.timeInForce === 'alo') return false;
  return side === 'buy' ? Number(limitPrice) > last : Number(limitPrice) < last;
}

const sumOf = (levels: readonly FeedLevel[]): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
