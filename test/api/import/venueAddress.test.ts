// What the venue tells of an address: recorded answers are read, and whatever has another form makes the answer unreadable.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readAddress } from '../../../src/api/import/readAddress.ts';
import { toOrders, toSpotLeft, toState, UnreadableAnswer } from '../../../src/api/import/venueAddress.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/hyperliquid/info.${name}.json`, import.meta.url), 'utf8')).response;

describe('venueAddress: recorded answers of the venue', () => {
  it('positions, isolated ones with the cash inside', () =>
    expect(toState(recorded('clearinghouseState.isolated'))).to.deep.equal({
      ...{ accountValue: '83.307638', takenAtMs: 1754467216357 },
      positions: [
        {
          ...{ coin: 'HYPE', signedSize: '2.0', entryPrice: '37.829', value: '75.652' },
          ...{ marginMode: 'isolated', leverage: 10, rawUsd: '-68.126246' },
        },
      ],
    }));

  it('an address without anything', () => {
    expect(toState(recorded('clearinghouseState.empty')).positions).to.deep.equal([]);
    expect(toOrders(recorded('frontendOpenOrders.empty'))).to.deep.equal({ orders: [], left: [] });
  });

  it('a parent has its children once, though the venue tells them twice', () => {
    const { orders, left } = toOrders(recorded('frontendOpenOrders'));
    expect(left).to.deep.equal([]);
    expect(orders).to.have.length(1);
    expect(orders[0]).to.include({ oid: 3184595905, coin: 'INJ', side: 'buy', size: '12.5', timeInForce: 'gtc' });
    expect(orders[0]?.children?.map(({ oid, trigger }) => [oid, trigger])).to.deep.equal([
      [3184595906, { price: '9.995', tpsl: 'sl', isMarket: true }],
      [3184595907, { price: '10.004', tpsl: 'tp', isMarket: true }],
    ]);
    expect(toOrders(recorded('frontendOpenOrders.limit')).orders[0]).to.not.have.property('cloid');
  });

  it('a state of a minute ahead is read; one of a millisecond more is not', async () => {
    const nowMs = 1_700_000_000_000;
    const readAt = (aheadMs: number) => {
      const state = { ...(recorded('clearinghouseState.empty') as object), time: nowMs + aheadMs };
      const answers: Record<string, unknown> = { clearinghouseState: state, spotClearinghouseState: { balances: [] } };
      const venue = { ask: (question: object) => Promise.resolve(answers[(question as { type: string }).type] ?? []) };
      return readAddress({ venue, now: () => nowMs }, '0x00', 'ann').then(
        ({ takenAtMs }) => takenAtMs - nowMs,
        ({ code }: { code: string }) => code,
      );
    };
    expect(await Promise.all([59_999, 60_000, 60_001].map(readAt))).to.deep.equal([59_999, 60_000, 'upstream_unreadable']);
  });

  it('balances of spot are left out', () =>
    expect(toSpotLeft(recorded('spotClearinghouseState')).map(({ coin, reason }) => `${coin} ${reason}`)).to.deep.equal([
      'USDC spot',
      'HYPE spot',
      'USOL spot',
    ]));
});

describe('venueAddress: orders', () => {
  const order = (fields: object = {}) => ({
    ...{ oid: 1, coin: 'SOL', side: 'B', limitPx: '90.0', sz: '1.0', origSz: '1.0', timestamp: 5, reduceOnly: false },
    ...{ isTrigger: false, triggerPx: '0.0', isPositionTpsl: false, orderType: 'Limit', tif: 'Gtc', cloid: null, children: [] },
    ...fields,
  });

  it('come oldest first; of thousands the newest are left out', () => {
    const many = Array.from({ length: 3000 }, (_, at) => order({ oid: at + 1, timestamp: 10_000 - at }));
    const { orders, left } = toOrders(many);
    expect([orders.length, left.length]).to.deep.equal([1000, 2000]);
    expect([orders[0]?.oid, orders.at(-1)?.oid, left[0]?.oid]).to.deep.equal([3000, 2001, 2000]);
    expect(left[0]).to.include({ reason: 'too_many', kind: 'order' });
  });

  it('of spot are left out, client ids are in lower case', () => {
    const { orders, left } = toOrders([
      order({ coin: '@107' }),
      order({ oid: 2, coin: 'PURR/USDC' }),
      order({ oid: 3, cloid: `0x${'AB'.repeat(16)}` }),
    ]);
    expect(left.map(({ oid, reason }) => `${oid} ${reason}`)).to.deep.equal(['1 spot', '2 spot']);
    expect(orders.map(({ oid, cloid }) => [oid, cloid])).to.deep.equal([[3, `0x${'ab'.repeat(16)}`]]);
  });

  const faults: [name: string, answer: unknown][] = [
    ['null', null],
    ['an error', { error: 'x' }],
    ['a number as a price', [order({ limitPx: 90 })]],
    ['NaN', [order({ sz: 'NaN' })]],
    ['a negative size', [order({ sz: '-1' })]],
    ['an exponent', [order({ limitPx: '1e5' })]],
    ['a number of a thousand digits', [order({ sz: '9'.repeat(1000) })]],
    ['no oid', [order({ oid: undefined })]],
    ['a fraction as oid', [order({ oid: 1.5 })]],
    ['a client id of another form', [order({ cloid: '0x12' })]],
    ['a side of its own', [order({ side: 'buy' })]],
    ['children of children', [order({ children: [order({ children: 'x', sz: 1 })] })]],
    ['more children than there are', [order({ children: [order(), order(), order()] })]],
    ['more orders than the venue allows', Array.from({ length: 5001 }, (_, oid) => order({ oid }))],
  ];
  for (const [name, answer] of faults) it(`unreadable: ${name}`, () => expect(() => toOrders(answer)).to.throw(UnreadableAnswer));
});

describe('venueAddress: states', () => {
  const state = (position: object = {}, more: object = {}) => ({
    marginSummary: { accountValue: '10.0' },
    assetPositions: [
      {
        position: {
          coin: 'SOL',
          szi: '1.0',
          entryPx: '90.0',
          positionValue: '100.0',
          leverage: { type: 'cross', value: 20 },
          ...position,
        },
      },
    ],
    time: 5,
    ...more,
  });

  it('a coin with a leverage and no position is none', () =>
    expect(toState(state({ szi: '0.0', entryPx: null })).positions).to.deep.equal([]));

  const faults: [name: string, answer: unknown][] = [
    ['a text', 'x'],
    ['a coin twice', { ...state(), assetPositions: [...state().assetPositions, ...state().assetPositions] }],
    ['a size that is no number', state({ szi: 'Infinity' })],
    ['no entry price', state({ entryPx: null })],
    ['an entry price of 0', state({ entryPx: '0.0' })],
    ['a leverage of 0', state({ leverage: { type: 'cross', value: 0 } })],
    ['an isolated margin without its cash', state({ leverage: { type: 'isolated', value: 3 } })],
    ['a margin mode of its own', state({ leverage: { type: 'shared', value: 3 } })],
    ['an account value that is no number', state({}, { marginSummary: { accountValue: '1,000' } })],
    ['a time before all times', state({}, { time: -1 })],
    ['deep JSON', JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`)],
  ];
  for (const [name, answer] of faults) it(`unreadable: ${name}`, () => expect(() => toState(answer)).to.throw(UnreadableAnswer));
});
