// Addresses that a test scripts at the emulated venue: the answers of `info` and the WebSocket about them, with sums made by hand.
import { expect } from 'chai';
import { WebSocket } from 'ws';
import type { UserAct } from '../../../src/market/emulator/venueUser.ts';
import { control, startEmulator, type TestMarket } from '../../support/market.ts';
import { until } from '../../support/until.ts';

const USER = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;
const CLOID = `0x${'01'.repeat(16)}`;

interface Frame {
  readonly channel: string;
  readonly data: unknown;
}

describe('scripted addresses of the emulated venue', () => {
  let venue: TestMarket;
  let socket: WebSocket;
  const frames: Frame[] = [];

  const post = (path: string, body: object) =>
    fetch(`${venue.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-control': '1', connection: 'close' },
      body: JSON.stringify(body),
    });
  const info = async (type: string, more: object = {}) => {
    const answer = await post('/info', { type, user: USER, ...more });
    expect(answer.status).to.equal(200);
    return (await answer.json()) as never;
  };
  const act = (what: UserAct) => control(venue.url, { op: 'userAct', user: USER, do: what });
  const refusal = async (operation: object): Promise<string> => {
    const answer = await post('/control', operation);
    return `${answer.status} ${((await answer.json()) as { error?: string }).error}`;
  };
  const dataOf = (channel: string): unknown[] => frames.filter((frame) => frame.channel === channel).map(({ data }) => data);
  const heard = (channel: string, count: number) => until(() => dataOf(channel).length >= count);

  before(async () => {
    venue = await startEmulator();
    await control(venue.url, { op: 'setPrice', coin: 'BTC', px: '50000' });
    await control(venue.url, { op: 'setPrice', coin: 'ETH', px: '2000' });
    socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws`);
    socket.on('message', (text) => frames.push(JSON.parse(String(text))));
    await new Promise((resolve) => socket.once('open', resolve));
    for (const type of ['orderUpdates', 'userFills'])
      socket.send(JSON.stringify({ method: 'subscribe', subscription: { type, user: USER.toUpperCase().replace('0X', '0x') } }));
    await heard('userFills', 1);
  });
  after(async () => {
    socket.terminate();
    await venue.stop();
  });

  it('one that nobody has scripted has nothing; what is no address cannot be read', async () => {
    const state = await info('clearinghouseState', { user: OTHER });
    expect(state).to.deep.include({ withdrawable: '0.0', assetPositions: [] });
    expect(await info('frontendOpenOrders', { user: OTHER })).to.deep.equal([]);
    expect((await post('/info', { type: 'clearinghouseState', user: '0x12' })).status).to.equal(422);
    expect((await post('/info', { type: 'userFills' })).status).to.equal(422);
    expect(dataOf('userFills')).to.deep.equal([{ isSnapshot: true, user: USER, fills: [] }]);
  });

  it('positions, margins and equity are sums of what was set, at the marks of now', async () => {
    const positions = [
      { coin: 'BTC', szi: '0.5', entryPx: '48000', leverage: 20 },
      { coin: 'ETH', szi: '-10', entryPx: '2100', leverage: 10, isolated: true },
    ];
    await control(venue.url, { op: 'setUser', user: USER, balance: '20000', positions, spot: [{ coin: 'HYPE', total: '3.5' }] });
    // BTC: 0.5 * (50000 - 48000) = 1000. ETH: -10 * (2000 - 2100) = 1000; its margin at entry is 21000 / 10.
    const state = (await info('clearinghouseState')) as Record<string, never>;
    expect(state['marginSummary']).to.deep.equal({
      accountValue: '22000.0',
      totalNtlPos: '45000.0',
      totalRawUsd: '17000.0',
      totalMarginUsed: '4350.0',
    });
    expect(state['crossMarginSummary']).to.deep.equal({
      accountValue: '18900.0',
      totalNtlPos: '25000.0',
      totalRawUsd: '-6100.0',
      totalMarginUsed: '1250.0',
    });
    expect(state['withdrawable']).to.equal('17650.0');
    const [btc, eth] = (state['assetPositions'] as unknown as { position: object }[]).map(({ position }) => position);
    expect(btc).to.deep.include({
      coin: 'BTC',
      szi: '0.5',
      entryPx: '48000.0',
      positionValue: '25000.0',
      unrealizedPnl: '1000.0',
    });
    expect(btc).to.deep.include({ leverage: { type: 'cross', value: 20 }, marginUsed: '1250.0' });
    expect(eth).to.deep.include({ leverage: { type: 'isolated', value: 10, rawUsd: '23100.0' }, marginUsed: '3100.0' });
    expect(await info('spotClearinghouseState')).to.deep.equal({
      balances: [{ coin: 'HYPE', token: 0, total: '3.5', hold: '0.0', entryNtl: '0.0' }],
    });
    expect(await info('clearinghouseState', { dex: 'xyz' })).to.deep.include({ assetPositions: [] });
  });

  it('a unified account has its money in spot, with the profit of its positions; a coin of a builder’s dex is told of there', async () => {
    const user = `0x${'ef'.repeat(20)}`;
    const ask = (type: string, more: object = {}) => info(type, { user, ...more }) as Promise<Record<string, unknown>>;
    expect(await ask('userAbstraction')).to.equal('default');
    const positions = [
      { coin: 'BTC', szi: '0.5', entryPx: '48000', leverage: 20 },
      { coin: 'xyz:TSLA', szi: '2', entryPx: '200', leverage: 10 },
    ];
    const spot = [{ coin: 'HYPE', total: '1', ltv: '0.65' }];
    const set = { op: 'setUser', user, balance: '20000', positions, spot } as const;
    await control(venue.url, { ...set, abstraction: 'portfolioMargin' });
    expect(await ask('userAbstraction')).to.equal('portfolioMargin');
    // 20000 and 0.5 * (50000 - 48000); 25000 / 20 and 400 / 10 are held.
    expect(await ask('spotClearinghouseState')).to.deep.equal({
      portfolioMarginEnabled: true,
      balances: [
        { coin: 'USDC', token: 0, total: '21000.0', hold: '1290.0', entryNtl: '0.0' },
        { coin: 'HYPE', token: 1, total: '1', ltv: '0.65', hold: '0.0', entryNtl: '0.0' },
      ],
    });
    const coinsOf = async (dex?: string) => {
      const { marginSummary, assetPositions } = await ask('clearinghouseState', dex === undefined ? {} : { dex });
      const rows = assetPositions as { readonly position: { readonly coin: string } }[];
      return [(marginSummary as Record<string, string>)['accountValue'], ...rows.map(({ position }) => position.coin)];
    };
    expect(await coinsOf()).to.deep.equal(['1250.0', 'BTC']);
    expect(await coinsOf('xyz')).to.deep.equal(['40.0', 'xyz:TSLA']);
    expect(await coinsOf('flx')).to.deep.equal(['0.0']);
    const dexs = (await ask('perpDexs')) as unknown as ({ readonly name: string } | null)[];
    expect(dexs.map((dex) => dex?.name)).to.deep.equal([undefined, 'xyz']);
    expect(await refusal({ ...set, abstraction: 'both' })).to.match(/^400 abstraction must be one of default, /);
    await control(venue.url, { op: 'setUser', user, balance: '0' });
    expect(await ask('perpDexs')).to.deep.equal([null]);
  });

  it('an order is placed, filled in two parts and closed; who follows the address hears each, and the public sees the trades', async () => {
    await act({ act: 'place', oid: 7, cloid: CLOID, coin: 'BTC', side: 'B', px: '49000', sz: '0.3' });
    await act({ act: 'fill', oid: 7, sz: '0.1' });
    await act({ act: 'fill', oid: 7, px: '48900', crossed: true });
    await heard('orderUpdates', 3);
    await heard('userFills', 3);
    const updates = dataOf('orderUpdates').flat() as { order: { sz: string; cloid: string }; status: string }[];
    expect(updates.map(({ order, status }) => `${status} ${order.sz} ${order.cloid}`)).to.deep.equal([
      `open 0.3 ${CLOID}`,
      `open 0.2 ${CLOID}`,
      `filled 0.0 ${CLOID}`,
    ]);
    // 0.5 at 48000, 0.1 at 49000, 0.2 at 48900: 38680 / 0.8. Fees: 4900 * 0.00015 and 9780 * 0.00045.
    const fills = (await info('userFills')) as Record<string, unknown>[];
    expect(fills[0]).to.include({
      px: '48900.0',
      sz: '0.2',
      startPosition: '0.6',
      fee: '4.401',
      crossed: true,
      dir: 'Open Long',
    });
    expect(fills[1]).to.include({ px: '49000.0', sz: '0.1', startPosition: '0.5', fee: '0.735', crossed: false, oid: 7 });
    expect(dataOf('userFills').slice(1)).to.deep.equal([
      { user: USER, fills: [fills[1]] },
      { user: USER, fills: [fills[0]] },
    ]);
    const state = (await info('clearinghouseState')) as { assetPositions: { position: object }[] };
    expect(state.assetPositions[0]?.position).to.deep.include({ szi: '0.8', entryPx: '48350.0' });
    const [newest, before] = (await (await post('/info', { type: 'recentTrades', coin: 'BTC' })).json()) as { tid: number }[];
    expect(newest).to.include({ px: '48900.0', sz: '0.2', side: 'B', tid: fills[0]?.['tid'] });
    expect(before).to.include({ px: '49000.0', sz: '0.1', side: 'A', tid: fills[1]?.['tid'] });
    const times = fills.map(({ time }) => time as number);
    const byTime = await info('userFillsByTime', { startTime: Math.min(...times), endTime: Math.max(...times) });
    expect(byTime).to.deep.equal(fills.toReversed());
    expect(await info('userFillsByTime', { startTime: Math.max(...times) + 1 })).to.deep.equal([]);
  });

  it('a fill that turns a position round closes what was there at its entry price', async () => {
    await control(venue.url, {
      ...{ op: 'setUser', user: USER, balance: '1000' },
      positions: [{ coin: 'ETH', szi: '1', entryPx: '2000', leverage: 5 }],
    });
    await act({ act: 'place', oid: 8, coin: 'ETH', side: 'A', px: '2050', sz: '3' });
    await act({ act: 'fill', oid: 8 });
    const [fill] = (await info('userFills')) as Record<string, unknown>[];
    expect(fill).to.include({ closedPnl: '50.0', dir: 'Long > Short', startPosition: '1.0', fee: '0.9225' });
    const state = (await info('clearinghouseState')) as { marginSummary: object; assetPositions: { position: object }[] };
    expect(state.assetPositions[0]?.position).to.deep.include({ szi: '-2.0', entryPx: '2050.0', unrealizedPnl: '100.0' });
    expect(state.marginSummary).to.include({ accountValue: '1149.0775' });
  });

  it('open orders are told in both forms; children stand in their parent, too', async () => {
    await control(venue.url, { op: 'setUser', user: USER, balance: '1000' });
    await act({ act: 'place', oid: 20, coin: 'ETH', side: 'B', px: '1900', sz: '1', tif: 'Alo' });
    const trigger = { px: '1800', tpsl: 'sl', isMarket: true, parentOid: 20 } as const;
    await act({ act: 'place', oid: 21, coin: 'ETH', side: 'A', px: '1750', sz: '1', reduceOnly: true, trigger });
    expect(await info('openOrders')).to.have.length(2);
    const [child, parent] = (await info('frontendOpenOrders')) as (Record<string, unknown> & { children: unknown[] })[];
    expect(child).to.deep.include({ oid: 21, isTrigger: true, triggerPx: '1800', triggerCondition: 'Price below 1800' });
    expect(child).to.include({ orderType: 'Stop Market', reduceOnly: true, tif: null, cloid: null });
    expect(parent).to.include({ oid: 20, tif: 'Alo', orderType: 'Limit', isTrigger: false });
    expect(parent?.children).to.deep.equal([child]);
    await act({ act: 'cancel', oid: 21 });
    expect(await info('openOrders')).to.have.length(1);
  });

  it('a script does its steps at their time and at a mark, in their order; a step that makes no sense ends it', async () => {
    await control(venue.url, { op: 'setUser', user: USER, balance: '1000' });
    const steps = [
      { afterMs: 1, do: { act: 'place', oid: 30, coin: 'ETH', side: 'B', px: '1950', sz: '2' } },
      { mark: { coin: 'ETH', atMost: '1950' }, do: { act: 'fill', oid: 30 } },
      { do: { act: 'cancel', oid: 30 } },
      { do: { act: 'place', oid: 31, coin: 'ETH', side: 'B', px: '1950', sz: '2' } },
    ] as const;
    await control(venue.url, { op: 'userScript', user: USER, steps });
    await until(async () => ((await info('openOrders')) as unknown[]).length === 1);
    expect(await info('userFills')).to.deep.equal([]);
    await control(venue.url, { op: 'setPrice', coin: 'ETH', px: '1949' });
    await until(async () => ((await info('userFills')) as unknown[]).length === 1);
    const answer = await (await post('/control', { op: 'scriptState', user: USER })).json();
    expect(answer).to.deep.include({ script: { left: 0, failure: 'order 30 is not open' } });
    expect(await info('openOrders')).to.deep.equal([]);
  });

  it('a control call that makes no sense names its fault and changes nothing', async () => {
    await control(venue.url, { op: 'setUser', user: USER, balance: '1000' });
    await act({ act: 'place', oid: 40, coin: 'ETH', side: 'B', px: '1900', sz: '1' });
    const before = [await info('clearinghouseState'), await info('openOrders')].map((part) => ({ ...(part as object), time: 0 }));
    const cases: [operation: object, want: string][] = [
      [{ op: 'setUser', user: '0x1', balance: '1' }, '400 user must be an address'],
      [{ op: 'setUser', user: USER, balance: 'NaN' }, '400 balance: not a decimal text: NaN'],
      [{ op: 'userAct', user: OTHER, do: { act: 'cancel', oid: 1 } }, '400 the address is not scripted: setUser comes first'],
      [{ op: 'userAct', user: USER, do: { act: 'cancel', oid: 1 } }, '400 order 1 is not open'],
      [{ op: 'userAct', user: USER, do: { act: 'fill', oid: 40, sz: '1.1' } }, '400 sz is more than is left of order 40'],
      [{ op: 'userAct', user: USER, do: { act: 'fill', oid: 40, px: '0' } }, '400 px must be above 0'],
      [{ op: 'userAct', user: USER, do: { act: 'leap' } }, '400 unknown act leap'],
    ];
    for (const [operation, want] of cases) expect(await refusal(operation)).to.equal(want);
    const place = { act: 'place', oid: 40, coin: 'ETH', side: 'B', px: '1900', sz: '1' };
    expect(await refusal({ op: 'userAct', user: USER, do: place })).to.match(/^400 order 40 cannot be placed/);
    const after = [await info('clearinghouseState'), await info('openOrders')].map((part) => ({ ...(part as object), time: 0 }));
    expect(after).to.deep.equal(before);
  });
});
