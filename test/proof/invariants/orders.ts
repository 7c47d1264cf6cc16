// Invariants about orders: sizes, ends, limits, roles, priority.

import type { Account, WaitingOrder } from '../../../src/actors/core/account/account.ts';
import { isHeld } from '../../../src/actors/core/account/labState.ts';
import type { OpenOrder } from '../../../src/actors/core/account/openOrderBook.ts';
import { availabilityOf } from '../../../src/actors/core/fills/bookLiquidity.ts';
import type { OrderView } from '../../../src/actors/core/messages/order.ts';
import { allOpenOrders } from '../../../src/actors/core/orders/endOrders.ts';
import type { Book } from '../../../src/market/domain/marketView.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import type { FixtureMarket } from '../../support/fixtureMarket.ts';
import { demand, type Fill, fillsOf, same, sum } from '../facts.ts';
import type { Invariant, Moment } from '../life.ts';
import { assetOf } from '../randomSteps.ts';

/** Of the coins that random lives trade. */
const ASSETS = [2, 3, 4];

export const ORDERS: readonly Invariant[] = [
  {
    name: 'invariant 4',
    says: 'what is left and filled of an order always adds up to its size; reduce-only alone takes from it, from what was asked for',
    watch: () => {
      const filled = new Map<number, Decimal>();
      return ({ account, events }) => {
        for (const event of events) {
          if (event.type === 'orderFilled') filled.set(event.oid, (filled.get(event.oid) ?? ZERO).plus(event.size));
          if (event.type !== 'orderEnded') continue;
          addsUp(event.order, filled.get(event.order.oid) ?? ZERO);
          if (event.status === 'filled') same(event.order.size, '0', `rest of filled order ${event.order.oid}`);
        }
        for (const order of allOpenOrders(account)) addsUp(order, filled.get(order.oid) ?? ZERO);
      };
    },
  },
  {
    name: 'invariant 10',
    says: 'no fill is beyond its limit, and a maker fills exactly at it',
    watch: () => {
      const orders = new Map<number, OrderView>();
      return ({ events }) => {
        remember(orders, events);
        for (const fill of fillsOf(events)) {
          const { limitPrice } = orderOf(orders, fill);
          const beyond = new Decimal(fill.price).minus(limitPrice).times(fill.side === 'buy' ? 1 : -1);
          demand(beyond.lte(0), `fill ${fill.tid} at ${fill.price} with limit ${limitPrice}`);
          if (fill.liquidity === 'maker') same(fill.price, limitPrice, `maker fill ${fill.tid}`);
        }
      };
    },
  },
  {
    name: 'invariant 11',
    says: 'an order takes the best price first, and of two own orders at one price the older fills first',
    watch: () => (moment) => {
      const { step, entries, events } = moment;
      const fills = fillsOf(events);
      for (const entry of entries) {
        const ofEntry = fillsOf(entry.events);
        for (const oid of new Set(ofEntry.map((fill) => fill.oid))) {
          const taken = ofEntry.filter((fill) => fill.oid === oid && fill.liquidity === 'taker');
          taken.forEach(({ price, side }, index) => {
            const next = taken[index + 1];
            if (next) demand(new Decimal(next.price).cmp(price) === (side === 'buy' ? 1 : -1), `${next.price} after ${price}`);
          });
        }
      }
      if (step === 'opening' || step.kind !== 'trade' || fills.length === 0) return;
      const ended = new Set(events.flatMap((event) => (event.type === 'orderEnded' ? [event.order.oid] : [])));
      for (const fill of fills) {
        for (const older of moment.before.orders.values()) {
          const isAtSamePlace = older.asset === fill.asset && older.side === fill.side && older.limitPrice === fill.price;
          if (older.oid < fill.oid && isAtSamePlace) demand(ended.has(older.oid), `${fill.oid} filled before ${older.oid}`);
        }
      }
    },
  },
  {
    name: 'invariant 12',
    says: 'never more is taken from a level than it displays, nor filled by a trade than was traded',
    watch: () => {
      const taken = new Map<string, Decimal>();
      const booksBefore = new Map<number, Book>();
      return ({ step, market, events }) => {
        if (step !== 'opening' && /^(book|wait|hours|lateTrade|deep)$/.test(step.kind)) taken.clear();
        const fills = fillsOf(events);
        for (const { liquidity, asset, side, price, size, evidence } of fills) {
          if (liquidity === 'maker') continue;
          const level = `${asset} ${side} ${price}`;
          const total = (taken.get(level) ?? ZERO).plus(size);
          taken.set(level, total);
          // The mark that comes before a new book may have liquidated into the one before.
          const isNow = !('bookTimeMs' in evidence) || evidence.bookTimeMs === market.book(asset)?.timeMs;
          const book = isNow ? market.wholeBook(asset) : booksBefore.get(asset);
          const source = 'deepFrom' in evidence ? market.deep(asset) : book;
          const shown = (side === 'buy' ? source?.asks : source?.bids)?.find((each) => each.price.eq(price));
          demand(shown?.size.gte(total) === true, `${total.toString()} taken of ${shown?.size.toString()} at ${level}`);
        }
        // A reset forgets what was taken.
        if (events.some(({ type }) => type === 'accountReset')) taken.clear();
        for (const asset of ASSETS) {
          const book = market.wholeBook(asset);
          if (book) booksBefore.set(asset, book);
        }
        if (step === 'opening' || step.kind !== 'trade') return;
        const made = sum(fills.filter(({ liquidity }) => liquidity === 'maker').map(({ size }) => new Decimal(size)));
        demand(made.lte(new Decimal(step.size).div(10)), `${made.toString()} filled by a trade of ${step.size} tenths`);
      };
    },
  },
  {
    name: 'invariant 13',
    says: 'an Alo never takes and an Ioc never makes',
    watch: () => {
      const orders = new Map<number, OrderView>();
      return ({ events }) => {
        remember(orders, events);
        for (const fill of fillsOf(events)) {
          const { timeInForce } = orderOf(orders, fill);
          if (timeInForce === 'alo') same(fill.liquidity, 'maker', `fill ${fill.tid} of an Alo`);
          if (timeInForce === 'ioc' || timeInForce === 'frontendMarket') {
            same(fill.liquidity, 'taker', `fill ${fill.tid} of an Ioc`);
          }
        }
      };
    },
  },
  {
    name: 'invariant 14',
    says: 'at rest no own order crosses another, nor what a new book still has for the account, and none that has fired waits beside it',
    watch:
      () =>
      ({ step, account, market }) => {
        const orders = restingOf(account);
        for (const buy of orders) {
          if (buy.side === 'sell') continue;
          const crossed = orders.find(
            ({ side, asset, limitPrice }) =>
              side === 'sell' && asset === buy.asset && new Decimal(buy.limitPrice).gte(limitPrice),
          );
          demand(!crossed, () => `buy ${buy.oid} at ${buy.limitPrice} crosses sell ${crossed?.oid} at ${crossed?.limitPrice}`);
        }
        if (step === 'opening' || step.kind !== 'book') return;
        for (const order of orders) {
          if (order.asset === assetOf(step) && !isHeld(account.lab, order.oid))
            demand(findsNothing(account, order, market), `order ${order.oid} crosses the book`);
        }
        for (const order of account.triggers.values())
          if (order.asset === assetOf(step) && order.waitsFor === 'book')
            demand(findsNothing(account, order, market), `order ${order.oid} waits beside what the book has for it`);
      },
  },
  {
    name: 'invariant 15',
    says: 'an order ends at most once and nothing happens to it afterwards; oids and tids are unique and increase',
    watch: () => {
      const ended = new Set<number>();
      const seen = new Set<number>();
      let [lastTid, lastOid] = [0, 0];
      return ({ account, events }) => {
        for (const event of events) {
          const oid = 'order' in event ? event.order.oid : 'oid' in event ? event.oid : undefined;
          if (oid !== undefined && event.type !== 'parentReplaced')
            demand(!ended.has(oid), `${event.type} of order ${oid} after its end`);
          if (event.type === 'orderEnded') ended.add(event.order.oid);
          if ('order' in event && !seen.has(event.order.oid)) {
            demand(event.order.oid > lastOid, `order ${event.order.oid} comes after ${lastOid}`);
            lastOid = event.order.oid;
            seen.add(lastOid);
          }
          if (event.type !== 'orderFilled' && event.type !== 'positionTakenOver' && event.type !== 'positionSettled') continue;
          demand(event.tid > lastTid, `tid ${event.tid} after ${lastTid}`);
          lastTid = event.tid;
        }
        for (const { oid } of allOpenOrders(account)) demand(!ended.has(oid), `order ${oid} is open after its end`);
      };
    },
  },
  {
    name: 'invariant 9',
    says: 'reduce-only orders fit their position, those on the book together, and their fills neither grow nor flip it',
    watch: () => {
      const orders = new Map<number, OrderView>();
      return ({ account, events }) => {
        remember(orders, events);
        for (const [asset, { signedSize }] of account.positions) {
          const reducing = [...account.orders.values()].filter((order) => order.asset === asset && order.reduceOnly);
          const together = sum(reducing.map(({ size }) => new Decimal(size)));
          demand(together.lte(signedSize.abs()), `reduce-only orders of ${together.toString()} rest on ${signedSize.toString()}`);
        }
        for (const order of allOpenOrders(account)) {
          const { oid, reduceOnly, asset, size, side } = order;
          // A child that waits for its parent is exempt, and a trigger order that was placed flat until it fires: its position is still to come.
          if (!reduceOnly || ('waitsFor' in order && order.waitsFor === 'fill')) continue;
          if ('waitsFor' in order && order.waitsFor === 'mark' && order.trigger.placedFlat) continue;
          const held = account.positions.get(asset)?.signedSize ?? ZERO;
          demand(!held.isZero() && held.isNeg() === (side === 'buy'), `order ${oid} does not oppose ${held.toString()}`);
          demand(held.abs().gte(size), `order ${oid} of ${size} with a position of ${held.toString()}`);
        }
        for (const fill of fillsOf(events)) {
          if (!orderOf(orders, fill).reduceOnly) continue;
          const start = new Decimal(fill.startPosition);
          demand(!start.isZero() && start.isPos() !== (fill.side === 'buy'), `fill ${fill.tid} opens`);
          demand(start.abs().gte(fill.size), `fill ${fill.tid} flips`);
        }
      };
    },
  },
];

function addsUp(order: OrderView, filled: Decimal): void {
  const { oid, size, filledSize, originalSize, requestedSize, reduceOnly } = order;
  same(filledSize, filled, `filled size of ${oid}`);
  same(filled.plus(size), originalSize, `size of ${oid}`);
  if (requestedSize === undefined) return;
  demand(reduceOnly, `${oid} was cut and is not reduce-only`);
  demand(new Decimal(originalSize).lt(requestedSize), `${oid} was cut from ${requestedSize} to ${originalSize}`);
}

function remember(orders: Map<number, OrderView>, events: Moment['events']): void {
  for (const event of events) if ('order' in event) orders.set(event.order.oid, event.order);
}

function orderOf(orders: ReadonlyMap<number, OrderView>, { oid, tid }: Fill): OrderView {
  const order = orders.get(oid);
  if (!order) throw new Error(`fill ${tid} of order ${oid}, which nobody has heard of`);
  return order;
}

function restingOf(account: Account): OpenOrder[] {
  return [...account.orders.values()];
}

/** True when the newest book has nothing left for this order inside its limit. A pessimistic order leaves what is offered at its limit. */
function findsNothing(account: Account, order: OpenOrder | WaitingOrder, market: FixtureMarket): boolean {
  const { asset, side, limitPrice } = order;
  const model = 'resting' in order ? order.resting.model : undefined;
  const book = market.book(asset);
  if (!book || market.nowMs - (market.prices(asset)?.timeMs ?? 0) > market.maxAgeMs) return true;
  const sizeDecimals = market.asset(asset)?.sizeDecimals ?? 0;
  const place = { asset, bookSide: side === 'buy' ? 'ask' : 'bid', book, sizeDecimals } as const;
  const shown = side === 'buy' ? book.asks : book.bids;
  const availableAt = availabilityOf(account, shown, place);
  return shown
    .filter(({ price }) => (side === 'buy' ? price.lte(limitPrice) : price.gte(limitPrice)))
    .filter(({ price }) => model !== 'pessimistic' || !price.eq(limitPrice))
    .every((level) => availableAt(level).available.isZero());
}
