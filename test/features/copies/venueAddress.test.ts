// The venue's answers about an address: recorded answers are read, and a part with another form makes the answer unreadable.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readAddress } from '../../../src/features/copies/askAddress.ts';
import { decimalOf, toOrders, toSpot, toState, UnreadableAnswer } from '../../../src/features/copies/venueAddress.ts';

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
      const answers: Record<string, unknown> = {
        ...{ userAbstraction: 'default', clearinghouseState: state, spotClearinghouseState: { balances: [] } },
      };
      const venue = { ask: (question: object) => Promise.resolve(answers[(question as { type: string }).type] ?? []) };
      return readAddress({ venue, now: () => nowMs }, '0x00', 'ann').then(
        ({ takenAtMs }) => takenAtMs - nowMs,
        ({ code }: { code: string }) => code,
      );
    };
    expect(await Promise.all([59_999, 60_000, 60_001].map(readAt))).to.deep.equal([59_999, 60_000, 'upstream_unreadable']);
  });

  it('balances of spot are left out; USDC is the money of an account whose collateral is spot', () => {
    const spotOf = (collateral: 'perp' | 'spot') => {
      const { left, ...rest } = toSpot(recorded('spotClearinghouseState'), collateral);
      return { ...rest, left: left.map(({ coin, reason }) => `${coin} ${reason}`) };
    };
    expect(spotOf('perp')).to.deep.equal({ left: ['USDC spot', 'HYPE spot', 'USOL spot'] });
    expect(spotOf('spot')).to.deep.equal({ accountValue: '19.9969993', left: ['HYPE spot', 'USOL spot'] });
  });
});

describe('venueAddress: sums of the venue are float64, printed with up to ten decimals', () => {
  const cases: [text: string, want: string][] = [
    ['1161681.8999999999', '1161681.9'],
    ['2401316.1375199999', '2401316.13752'],
    ['-41085992.9213469997', '-41085992.921347'],
    ['41085515.0539499968', '41085515.05395'],
    // A float64 of its own: no decimal of fewer digits is the same.
    ['0.30000000000000004', '0.30000000000000004'],
    // As many digits as any two float64 differ in, and fewer, stand as they are.
    ['1161681.89999999', '1161681.89999999'],
    ['2.0', '2.0'],
    ['-0.0', '-0.0'],
    // Sixteen digits that are no rounding of fewer.
    ['41085992.92134699', '41085992.92134699'],
    ['0.0000001234567890123456', '0.0000001234567890123456'],
    ['12345678901234567890', '12345678901234567000'],
  ];
  for (const [text, want] of cases) it(`${text} is ${want}`, () => expect(decimalOf(text)).to.equal(want));

  it('is so of each number of a state', () => {
    const position = {
      ...{ coin: 'BTC', szi: '-22.0', entryPx: '81134.2', positionValue: '1779140.1999999999' },
      leverage: { type: 'isolated', value: 5, rawUsd: '2950779.4936879999' },
    };
    const answer = { marginSummary: { accountValue: '1161681.8999999999' }, assetPositions: [{ position }], time: 1 };
    const { accountValue, positions } = toState(answer);
    expect([accountValue, positions[0]?.value, positions[0]?.rawUsd]).to.deep.equal(['1161681.9', '1779140.2', '2950779.493688']);
  });
});

describe('readAddress: the kind of account says where its money is', () => {
  const balance = (coin: string, total: string, more: object = {}) => ({ coin, total, hold: '0.0', entryNtl: '0.0', ...more });
  const perp = { marginSummary: { accountValue: '549463.35' }, assetPositions: [], time: 1 };
  const OF_DEX: Record<string, string> = { xyz: 'xyz:TSLA' };
  const read = async (mode: unknown, balances: object[]) => {
    const asked: string[] = [];
    const answers: Record<string, unknown> = {
      ...{ userAbstraction: mode, spotClearinghouseState: { balances }, frontendOpenOrders: [] },
      ...{ perpDexs: [null, { name: 'xyz' }, { name: 'flx' }] },
    };
    const ask = ({ type, dex }: { readonly type: string; readonly dex?: string }) => {
      asked.push(dex === undefined ? type : `${type} ${dex}`);
      if (type !== 'clearinghouseState') return Promise.resolve(answers[type]);
      const coin = OF_DEX[dex ?? ''];
      const leverage = { type: 'cross', value: 5 };
      const position = { coin, szi: '1.0', entryPx: '200.0', positionValue: '210.0', leverage };
      return Promise.resolve(coin === undefined ? perp : { ...perp, assetPositions: [{ position }] });
    };
    const venue = { ask: ask as (question: object) => Promise<unknown> };
    const taken = await readAddress({ venue, now: () => 1 }, '0x00', 'ann').then(
      ({ accountValue, left }) => [accountValue, ...left.map(({ kind, coin, reason }) => `${kind} ${coin} ${reason}`)],
      ({ code, message }: { code: string; message: string }) => [`${code}: ${message}`],
    );
    return { taken, asked };
  };
  const USDC = balance('USDC', '1279260.79987858', { hold: '543038.7' });
  const TSLA = 'position xyz:TSLA unlisted';

  for (const mode of ['default', 'disabled', 'dexAbstraction'])
    it(`${mode}: with the positions, and USDC in spot is left`, async () =>
      expect((await read(mode, [USDC])).taken).to.deep.equal(['549463.35', 'balance USDC spot', TSLA]));

  it('unifiedAccount: in spot, as USDC with the profit of all positions in it', async () => {
    const { taken, asked } = await read('unifiedAccount', [USDC, balance('USDH', '5.0'), balance('HYPE', '0.0')]);
    expect(taken).to.deep.equal(['1279260.79987858', 'balance USDH spot', TSLA]);
    expect(asked, 'weights 20, 20, 3 times 2, 20, 2, 2').to.deep.equal([
      ...['userAbstraction', 'perpDexs', 'clearinghouseState xyz', 'clearinghouseState flx', 'clearinghouseState'],
      ...['frontendOpenOrders', 'clearinghouseState', 'spotClearinghouseState'],
    ]);
    expect((await read('unifiedAccount', [])).taken, 'no USDC at all').to.deep.equal(['0', TSLA]);
  });

  it('portfolioMargin: the same, unless it has borrowed, or other coins back its positions: these have no value here', async () => {
    const of = async (...balances: object[]) => (await read('portfolioMargin', balances)).taken;
    const usdc = { ...USDC, ltv: '0.0' };
    expect(await of(usdc, balance('USDT0', '7.0', { ltv: '0.0' }))).to.deep.equal([
      ...['1279260.79987858', 'balance USDT0 spot', TSLA],
    ]);
    expect(await of(usdc, balance('HYPE', '0.0', { ltv: '0.65' }))).to.deep.equal(['1279260.79987858', TSLA]);
    expect(await of({ ...usdc, borrowed: '188.39764406' })).to.deep.equal([
      'import_refused: The address cannot be valued: it has borrowed USDC.',
    ]);
    expect(await of({ ...usdc, total: '0.0', borrowed: '5.0' })).to.deep.equal([
      'import_refused: The address cannot be valued: it has borrowed USDC.',
    ]);
    expect(await of(usdc, balance('HYPE', '3.3', { ltv: '0.65' }))).to.deep.equal([
      'import_refused: The address cannot be valued: HYPE is part of its collateral.',
    ]);
  });

  it('of a kind that is not known nothing is taken', async () => {
    expect((await read('newMode', [])).taken).to.deep.equal([
      'import_refused: The address cannot be valued: its kind of account, "newMode", is not known here.',
    ]);
    expect((await read('constructor', [])).taken[0]).to.match(/^import_refused/);
    expect((await read({ mode: 1 }, [])).taken[0]).to.match(/^upstream_unreadable/);
  });
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
