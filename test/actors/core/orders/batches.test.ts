import { expect } from 'chai';
import fc from 'fast-check';
import { BenchAccount } from '../../../../bench/support/benchAccount.ts';
import type { OrderRequest } from '../../../../src/actors/core/messages/order.ts';

const price = (from: number, to: number) => fc.integer({ min: from * 10, max: to * 10 }).map((tenths) => String(tenths / 10));

/** Orders of one coin, around a book of 99.9 / 100.1: some fill, some rest, some close, some are refused. */
const order: fc.Arbitrary<OrderRequest> = fc
  .record({
    isBuy: fc.boolean(),
    below: price(98, 99.8),
    above: price(100.2, 102),
    isPassive: fc.boolean(),
    size: fc.integer({ min: 1, max: 40 }).map(String),
    reduceOnly: fc.boolean(),
    timeInForce: fc.constantFrom('gtc' as const, 'ioc' as const, 'alo' as const),
    trigger: fc.option(price(95, 105), { nil: undefined, freq: 3 }),
    tpsl: fc.constantFrom('tp' as const, 'sl' as const),
  })
  .map(({ isBuy, below, above, isPassive, size, reduceOnly, timeInForce, trigger, tpsl }) => ({
    asset: 0,
    side: isBuy ? 'buy' : 'sell',
    limitPrice: isBuy === isPassive ? below : above,
    size,
    reduceOnly,
    type:
      trigger === undefined
        ? { kind: 'limit', timeInForce: isPassive ? 'gtc' : timeInForce }
        : { kind: 'trigger', triggerPrice: trigger, isMarket: false, tpsl },
  }));

/** Both accounts begin long, with an order that closes all of it: each sale that fills cuts that order. */
const OPENING: OrderRequest = {
  asset: 0,
  side: 'buy',
  limitPrice: '101',
  size: '30',
  reduceOnly: false,
  type: { kind: 'limit', timeInForce: 'ioc' },
};
const CLOSING: OrderRequest = {
  ...OPENING,
  side: 'sell',
  limitPrice: '110',
  reduceOnly: true,
  type: { kind: 'limit', timeInForce: 'gtc' },
};

/** Open orders and their holds, in words. */
function inWords({ account }: BenchAccount): unknown {
  const open = [...account.orders.values(), ...account.triggers.values()];
  return {
    cash: account.cash.toFixed(),
    position: account.positions.get(0)?.signedSize.toFixed(),
    open: open.map(({ oid, size, filledSize }) => `${oid}: ${size} left, ${filledSize} filled`),
  };
}

describe('one action of many orders', () => {
  it('rule 2.3: leaves what the same orders leave when each comes alone, reduce-only ones cut to the position', () => {
    let cut = 0;
    fc.assert(
      fc.property(fc.array(order, { minLength: 1, maxLength: 40 }), (orders) => {
        const [together, alone] = [BenchAccount.open(1), BenchAccount.open(1)];
        for (const account of [together, alone]) {
          account.run({ type: 'placeOrders', orders: [OPENING], grouping: 'na' }, 'filled');
          account.run({ type: 'placeOrders', orders: [CLOSING], grouping: 'na' }, 'resting');
        }
        const batch = together.decide({ type: 'placeOrders', orders, grouping: 'na' });
        cut += batch.events.filter(({ type }) => type === 'orderResized').length;
        together.record(batch);
        for (const one of orders) alone.record(alone.decide({ type: 'placeOrders', orders: [one], grouping: 'na' }));
        expect(inWords(together)).to.deep.equal(inWords(alone));
      }),
      { numRuns: 200 },
    );
    expect(cut).to.be.greaterThan(0);
  });

  it('cuts each order that waits for the mark once, however many fills made the position smaller', () => {
    const account = BenchAccount.open(1);
    const ioc = { kind: 'limit', timeInForce: 'ioc' } as const;
    const stop = { kind: 'trigger', triggerPrice: '90', tpsl: 'sl', isMarket: true } as const;
    const sell = { asset: 0, side: 'sell', reduceOnly: true, size: '100' } as const;
    account.run(
      {
        type: 'placeOrders',
        orders: [{ ...sell, side: 'buy', reduceOnly: false, limitPrice: '101', type: ioc }],
        grouping: 'na',
      },
      'filled',
    );
    const waiting = Array.from({ length: 50 }, () => ({ ...sell, limitPrice: '85', type: stop }));
    account.run({ type: 'placeOrders', orders: waiting, grouping: 'na' }, 'resting');
    const closing = Array.from({ length: 50 }, () => ({ ...sell, size: '1', limitPrice: '99', type: ioc }));
    const { events } = account.decide({ type: 'placeOrders', orders: closing, grouping: 'na' });
    const cuts = events.flatMap((event) => (event.type === 'orderResized' ? [event.order.size] : []));
    expect(cuts).to.deep.equal(Array.from({ length: 50 }, () => '50'));
  });

  it('cuts one order on the book for each fill, however many rest: the oldest, and it ends when nothing is left for it', () => {
    const account = BenchAccount.open(1);
    const ioc = { kind: 'limit', timeInForce: 'ioc' } as const;
    const gtc = { kind: 'limit', timeInForce: 'gtc' } as const;
    const sell = { asset: 0, side: 'sell', reduceOnly: true, size: '2' } as const;
    const opening = { ...sell, side: 'buy', size: '100', reduceOnly: false, limitPrice: '101', type: ioc } as const;
    account.run({ type: 'placeOrders', orders: [opening], grouping: 'na' }, 'filled');
    const resting = Array.from({ length: 50 }, () => ({ ...sell, limitPrice: '110', type: gtc }));
    account.run({ type: 'placeOrders', orders: resting, grouping: 'na' }, 'resting');
    const closing = Array.from({ length: 50 }, () => ({ ...sell, size: '1', limitPrice: '99', type: ioc }));
    const { events } = account.decide({ type: 'placeOrders', orders: closing, grouping: 'na' });
    const ends = events.filter((event) => event.type === 'orderEnded' && event.status === 'reduceOnlyCanceled');
    expect([events.filter(({ type }) => type === 'orderResized').length, ends.length]).to.deep.equal([25, 25]);
  });
});
