// Before a command goes to its account, has the market's leader look deeper into a book that the command would go through (trading-rules 3.5). It
// waits for the answer half a second at most: then the order meets what is known. The account itself never waits.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sliceCount } from '../../../actors/core/account/twap.ts';
import {
  checkNumbers,
  exceededValue,
  isImmediate,
  isKnown,
  marketOf,
  readNumber,
  readOrder,
} from '../../../actors/core/checks/checkForm.ts';
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { OrderRequest, Side } from '../../../actors/core/messages/order.ts';
import { COARSEST_DIGITS } from '../../../market/domain/aggregateBook.ts';
import type { FeedLevel } from '../../../market/domain/feed.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import { cutTo } from '../../../shared/domain/decimal.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { type DeepWant, writeDeepWants } from '../../../shared/venue/deepWants.ts';
import { DeepAskers } from './deepAskers.ts';

/** Longest wait of a command, ms. */
const WAIT_MS_MAX = 500;
const LOOK_MS = 10;

interface DeepParts {
  readonly redis: Redis;
  readonly market: LiveMarket;
  readonly log: Logger;
  readonly now: () => number;
  /** By Redis's clock. */
  readonly realNow: () => number;
}

/** An order that takes the book at once, as far as is known before it reaches its account. */
export interface TakingOrder {
  readonly asset: number;
  readonly side: Side;
  /** Coins. */
  readonly size: string;
  /** Limit price; absent: as far as a market order goes. */
  readonly limitPrice?: string;
  /** It never rests. */
  readonly isImmediate: boolean;
}

/** What the orders of a command want of one side of a coin's book. */
interface Wanted {
  readonly asset: number;
  readonly coin: string;
  readonly bookSide: 'bids' | 'asks';
  coins: number;
}

export class DeepLook {
  readonly #parts: DeepParts;
  readonly #name = randomBytes(6).toString('hex');
  readonly #askers = new DeepAskers();

  constructor(parts: DeepParts) {
    this.#parts = parts;
  }

  /** @returns undefined for a command that needs no more of a book than is displayed */
  before(user: string, command: AccountCommand): Promise<void> | undefined {
    const orders = takingOf(command, this.#parts.market);
    return orders.length > 0 ? this.lookDeeper(user, orders) : undefined;
  }

  /** Waits until the books reach as far as the orders go, 500 ms at most. An order that its own form refuses asks for nothing. */
  async lookDeeper(user: string, orders: readonly TakingOrder[]): Promise<void> {
    const large = this.#beyondDisplayed(orders);
    if (large.length === 0) return;
    const wanted = this.#beyondDisplayed(orders.filter((order) => this.#mayBeTaken(order)));
    if (wanted.length === 0) return;
    const known = this.#tell(user, wanted);
    const missing = known.filter((one) => !this.#isThere(one));
    const done = missing.length === 0 ? undefined : this.#askers.wait(user);
    if (done === undefined) return;
    const endsAt = performance.now() + WAIT_MS_MAX;
    while (!missing.every((one) => this.#isThere(one)) && performance.now() < endsAt) await sleep(LOOK_MS);
    done();
  }

  /** Sides of books of which more is wanted than is displayed. */
  #beyondDisplayed(orders: readonly TakingOrder[]): Wanted[] {
    const { market } = this.#parts;
    const sides = new Map<string, Wanted>();
    for (const { asset, side: taker, size, limitPrice } of orders) {
      const coin = market.asset(asset)?.coin;
      const book = coin === undefined ? undefined : market.bookText(coin);
      const bookSide = taker === 'buy' ? 'asks' : 'bids';
      const last = book?.shownTo[taker === 'buy' ? 'ask' : 'bid'];
      if (coin === undefined || last === undefined || !isThrough(taker, limitPrice, Number(last))) continue;
      const key = `${coin} ${bookSide}`;
      const side = sides.get(key) ?? { asset, coin, bookSide, coins: 0 };
      side.coins += Number(size);
      sides.set(key, side);
    }
    return [...sides.values()].filter(({ coin, bookSide, coins }) => coins > sumOf(market.bookText(coin)?.[bookSide] ?? []));
  }

  /** False when the order alone, or the market, refuses it. */
  #mayBeTaken({ limitPrice = '0', isImmediate: immediate, ...order }: TakingOrder): boolean {
    const { market, now } = this.#parts;
    const request = { ...order, limitPrice, reduceOnly: false, type: { kind: 'limit', timeInForce: 'ioc' } } as const;
    const read = readOrder(request, market);
    if (!isKnown(read) || marketOf(read.asset, { market, nowMs: now() }).type === 'rejected') return false;
    const numbers = checkNumbers(read, { mayBeZero: false });
    return numbers.type === 'legal' && exceededValue(numbers, read.asset, { immediate }) === undefined;
  }

  /** Tells the leader of new wishes; no request waits for that. @returns the wishes that the user's share allows */
  #tell(user: string, wanted: readonly Wanted[]): Wanted[] {
    const { redis, realNow, log } = this.#parts;
    const news = new Map<string, DeepWant>();
    const allowed = wanted.filter((one) => {
      const told = this.#askers.ask(user, one, realNow());
      if (typeof told !== 'string') news.set(one.coin, told);
      return told !== 'refused';
    });
    writeDeepWants(redis, this.#name, news).catch((error: unknown) =>
      log.warn({ err: error }, 'the leader could not be asked to look deeper into a book'),
    );
    return allowed;
  }

  #isThere({ asset, coin, bookSide, coins }: Wanted): boolean {
    const { market, now } = this.#parts;
    const deep = market.deep(asset);
    if (deep === undefined || now() - deep.timeMs > market.maxAgeMs) return false;
    if (deep.digits === COARSEST_DIGITS) return true;
    const beyond = deep[bookSide].reduce((sum, { size }) => sum + size.toNumber(), 0);
    return sumOf(market.bookText(coin)?.[bookSide] ?? []) + beyond >= coins;
  }
}

/** Orders that a command would place, or try out, and that may take the book at once. */
function takingOf(command: AccountCommand, market: LiveMarket): readonly TakingOrder[] {
  switch (command.type) {
    case 'placeOrders':
      return command.orders.flatMap(toTaking);
    case 'modifyOrders':
      return command.modifies.flatMap(({ order }) => toTaking(order));
    case 'startTwap':
      return firstSlice(command, market);
    case 'inLab':
      return takingOf(command.command, market);
    case 'query':
      return command.query.kind === 'dryRun' ? takingOf(command.query.command, market) : [];
    default:
      return [];
  }
}

function toTaking({ asset, side, size, limitPrice, type }: OrderRequest): TakingOrder[] {
  if (type.kind !== 'limit' || type.timeInForce === 'alo') return [];
  const immediate = isImmediate(type.timeInForce);
  const isPriced = Number(limitPrice) !== 0;
  return isPriced || immediate ? [{ asset, side, size, isImmediate: immediate, ...(isPriced && { limitPrice }) }] : [];
}

/** The first slice goes at once; while later ones are as large, their account holds the book (`deepHoldings.ts`). */
function firstSlice(
  { asset, side, size: text, minutes }: Extract<AccountCommand, { type: 'startTwap' }>,
  market: LiveMarket,
): TakingOrder[] {
  const size = readNumber(text);
  const prices = market.prices(asset);
  const sizeDecimals = market.asset(asset)?.sizeDecimals;
  if (size === undefined || prices === undefined || sizeDecimals === undefined || !(minutes > 0)) return [];
  const notional = size.times(prices.midPrice ?? prices.markPrice);
  return [{ asset, side, size: cutTo(size.div(sliceCount({ minutes, notional })), sizeDecimals).toFixed(), isImmediate: true }];
}

/** It goes beyond the last displayed price. */
function isThrough(side: Side, limitPrice: string | undefined, last: number): boolean {
  if (limitPrice === undefined) return true;
  return side === 'buy' ? Number(limitPrice) > last : Number(limitPrice) < last;
}

const sumOf = (levels: readonly FeedLevel[]): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
