import { expect } from 'chai';
import type { OrderView, TriggerView } from '../../../src/actors/core/messages/order.ts';
import { toFrontendOrder, toFrontendOrders, toOpenOrder, toOrderStatus } from '../../../src/api/domain/wireOrders.ts';

const order = (trigger: TriggerView | undefined, fields: Partial<OrderView> = {}): OrderView => ({
  oid: 7,
  asset: 0,
  coin: 'BTC',
  side: 'sell',
  limitPrice: '60339',
  size: '0.19304',
  originalSize: '0.19304',
  filledSize: '0',
  reduceOnly: true,
  timeInForce: trigger?.isMarket ? 'ioc' : 'gtc',
  placedAtMs: 1_784_976_343_254,
  ...(trigger && { trigger }),
  ...fields,
});

describe('orderShapes: trigger orders as the venue shows them', () => {
  it('a waiting one, field by field, as in a live answer', () => {
    expect(toFrontendOrder(order({ price: '63515', tpsl: 'sl', isMarket: true }))).to.deep.equal({
      coin: 'BTC',
      side: 'A',
      limitPx: '60339.0',
      sz: '0.19304',
      oid: 7,
      timestamp: 1_784_976_343_254,
      triggerCondition: 'Price below 63515',
      isTrigger: true,
      triggerPx: '63515.0',
      children: [],
      isPositionTpsl: false,
      reduceOnly: true,
      orderType: 'Stop Market',
      origSz: '0.19304',
      tif: null,
      cloid: null,
    });
  });

  const names: { tpsl: 'tp' | 'sl'; isMarket: boolean; side: 'buy' | 'sell'; name: string; condition: string }[] = [
    { tpsl: 'sl', isMarket: true, side: 'sell', name: 'Stop Market', condition: 'Price below 100.5' },
    { tpsl: 'sl', isMarket: false, side: 'buy', name: 'Stop Limit', condition: 'Price above 100.5' },
    { tpsl: 'tp', isMarket: true, side: 'sell', name: 'Take Profit Market', condition: 'Price above 100.5' },
    { tpsl: 'tp', isMarket: false, side: 'buy', name: 'Take Profit Limit', condition: 'Price below 100.5' },
  ];
  for (const { tpsl, isMarket, side, name, condition } of names) {
    it(`${name}, ${side}: ${condition}`, () => {
      const shown = toFrontendOrder(order({ price: '100.5', tpsl, isMarket }, { side }));
      expect(shown).to.include({ orderType: name, triggerCondition: condition });
    });
  }

  it('one that has fired keeps its name and has a time in force', () => {
    const fired = order({ price: '100.5', tpsl: 'sl', isMarket: false, hasFired: true });
    const want = { orderType: 'Stop Limit', isTrigger: false, triggerPx: '0.0', triggerCondition: 'N/A', tif: 'Gtc' };
    expect(toFrontendOrder(fired)).to.include(want);
  });

  it('that of a whole position has size 0', () => {
    const whole = order(
      { price: '100.5', tpsl: 'sl', isMarket: true, grouping: 'positionTpsl' },
      { size: '0', originalSize: '0' },
    );
    expect(toFrontendOrder(whole)).to.include({ isPositionTpsl: true, sz: '0.0', origSz: '0.0' });
  });

  it('a parent has the children that wait for it, stop before take-profit as they were placed, listed beside it, too', () => {
    const child = (oid: number, more: Partial<TriggerView> = {}) =>
      order({ price: '9', tpsl: 'sl', isMarket: true, grouping: 'normalTpsl', parentOid: 1, ...more }, { oid });
    const parent = order(undefined, { oid: 1, side: 'buy', reduceOnly: false });
    const shown = toFrontendOrders([child(3), child(2), child(4, { parentOid: 9 }), parent]);
    expect(shown.map(({ oid, children }) => [oid, children.map((one) => one.oid)])).to.deep.equal([
      [3, []],
      [2, []],
      [4, []],
      [1, [2, 3]],
    ]);
  });

  it('thousands of them are looked at a few times each', () => {
    let looks = 0;
    const orders = Array.from({ length: 2000 }, (_, oid) => {
      const parentOid = oid - (oid % 2);
      const shown = order(oid % 2 ? { price: '9', tpsl: 'sl', isMarket: true, grouping: 'normalTpsl', parentOid } : undefined, {
        oid,
      });
      const { trigger } = shown;
      return Object.defineProperty({ ...shown }, 'trigger', {
        get: () => {
          looks += 1;
          return trigger;
        },
      });
    });
    expect(toFrontendOrders(orders).filter(({ children }) => children.length === 1)).to.have.length(1000);
    expect(looks / orders.length).to.be.below(20);
  });

  it('openOrders shows it without any trigger field', () => {
    const plain = toOpenOrder(order({ price: '63515', tpsl: 'sl', isMarket: true }));
    expect(Object.keys(plain)).to.have.members([
      'coin',
      'side',
      'limitPx',
      'sz',
      'oid',
      'timestamp',
      'origSz',
      'orderType',
      'reduceOnly',
    ]);
  });

  it('orderStatus of an open parent has its children', () => {
    const child = order({ price: '9', tpsl: 'sl', isMarket: true, grouping: 'normalTpsl', parentOid: 1 }, { oid: 2 });
    const row = { order: order(undefined, { oid: 1 }), status: 'open' as const, timeMs: 5, children: [child] };
    expect(toOrderStatus(row, row.order.size).order.order.children.map(({ oid }) => oid)).to.deep.equal([2]);
  });
});
