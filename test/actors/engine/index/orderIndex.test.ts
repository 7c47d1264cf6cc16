import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { toEntry } from '../../../../src/actors/core/fold/recordEntry.ts';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { OrderIndex } from '../../../../src/actors/engine/index/orderIndex.ts';
import { applyEntry, decide, decideMarket } from '../../../../src/features/rules.ts';
import type { BookChange, TradesChange } from '../../../../src/market/domain/feed.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { ShardIds } from '../../../../src/shared/domain/shards.ts';
import { FixtureMarket, type Levels } from '../../../support/fixtureMarket.ts';

const SOL = 2;

/**
 * A handful of accounts that trade SOL, with the index that follows them. Their orders have the same ids, like orders of an account
 * and of its forks.
 */
class World {
  readonly market = new FixtureMarket();
  readonly index = new OrderIndex();
  readonly accounts = new Map<string, Account>();
  readonly #ids = new Map<string, ShardIds>();

  constructor() {
    for (const id of ['a', 'b', 'c']) {
      this.accounts.set(id, emptyAccount(id));
      this.#ids.set(id, new ShardIds({ shard: 0, shards: 1, counter: 0 }));
      this.run(id, { type: 'openAccount', depositUsd: '1000000' });
    }
  }

  run(id: string, command: AccountCommand): void {
    this.#apply(id, decide(this.account(id), command, this.#context(id)).events);
  }

  /** Accounts that the change does something to; it is applied to them. */
  concerned(change: BookChange | TradesChange): string[] {
    const ids = [...this.accounts.keys()];
    return ids.filter((id) => {
      const { events } = decideMarket(this.account(id), change, this.#context(id));
      if (events.length > 0) this.#apply(id, events);
      return events.length > 0;
    });
  }

  #context(id: string) {
    const ids = this.#ids.get(id) as ShardIds;
    return { nowMs: this.market.nowMs, market: this.market, ids, format: NEWEST_FORMAT };
  }

  account(id: string): Account {
    return this.accounts.get(id) as Account;
  }

  #apply(id: string, events: readonly AccountEvent[]): void {
    const entry = toEntry(this.account(id), { timeMs: this.market.nowMs, events });
    this.accounts.set(id, applyEntry(this.account(id), entry));
    this.index.update(this.account(id), events);
  }
}

describe('orderIndex: a market change misses nobody whom it concerns', () => {
  const price = fc.integer({ min: 990, max: 1010 }).map((tenths) => tenths / 10);
  const size = fc.integer({ min: 1, max: 30 });
  const step = fc.oneof(
    fc.record({
      do: fc.constant('order' as const),
      who: fc.constantFrom('a', 'b', 'c'),
      side: fc.constantFrom('buy', 'sell'),
      price,
      size,
    }),
    fc.record({ do: fc.constant('cancel' as const), who: fc.constantFrom('a', 'b', 'c'), open: fc.nat(3) }),
    fc.record({ do: fc.constant('trade' as const), side: fc.constantFrom('buy', 'sell'), price, size }),
    fc.record({
      do: fc.constant('book' as const),
      mid: fc.integer({ min: 985, max: 1015 }),
      sizes: fc.array(size, { minLength: 1, maxLength: 8 }),
      waitMs: fc.constantFrom(0, 10, 20_000),
    }),
  );

  const levels = (mid: number, direction: 1 | -1, sizes: readonly number[]): Levels =>
    sizes.map((each, i) => [String((mid + direction * (i + 1)) / 10), String(each)] as const);

  it('for any orders, trades and books', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new World();
        const { market, index } = world;
        for (const one of steps) {
          if (one.do === 'order') {
            const order = {
              asset: SOL,
              side: one.side as 'buy' | 'sell',
              limitPrice: String(one.price),
              size: String(one.size),
              reduceOnly: false,
              type: { kind: 'limit', timeInForce: 'gtc' },
            } as const;
            world.run(one.who, { type: 'placeOrders', orders: [order], grouping: 'na' });
          } else if (one.do === 'cancel') {
            const oid = [...world.account(one.who).orders.keys()][one.open] ?? 1;
            world.run(one.who, { type: 'cancelOrders', cancels: [{ asset: SOL, target: { oid } }] });
          } else if (one.do === 'trade') {
            const change = market.trade('SOL', [one.side as 'buy' | 'sell', String(one.price), String(one.size)]);
            const candidates = index.affectedByTrades(SOL, change);
            expect([...candidates]).to.include.members(world.concerned(change));
          } else {
            market.advance(one.waitMs);
            const change = market.setBook('SOL', { bids: levels(one.mid, -1, one.sizes), asks: levels(one.mid, 1, one.sizes) });
            const [bid, ask] = [change.bids.at(-1)?.[0], change.asks.at(-1)?.[0]];
            const shownTo = { ...(bid && { bid }), ...(ask && { ask }) };
            const candidates = index.affectedByBook(SOL, { ...change, shownTo }, market.feedTimeMs(SOL));
            expect([...candidates]).to.include.members(world.concerned(change));
          }
          const open = [...world.accounts.values()].reduce((sum, { orders }) => sum + orders.size, 0);
          expect(index.size).to.equal(open);
        }
      }),
    );
  });
});
