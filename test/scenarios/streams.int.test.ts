import { expect } from 'chai';
import { allInfoTypes } from '../../src/api/info/answerInfo.ts';
import { fixedAnswers } from '../../src/api/info/fixedAnswers.ts';
import { StreamClient } from '../support/streamClient.ts';
import type { StreamMessage } from '../support/streamContract.ts';
import { until } from '../support/until.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

const STRANGER = '0x00000000000000000000000000000000000000AB';
/** STREAM_BUFFER_BYTES as it is when it is not set. */
const UNSENT_BYTES_MAX = 4_194_304;
const BOOK = {
  bids: [
    ['99.9', '50'],
    ['99.8', '100'],
  ],
  asks: [
    ['100.1', '1'],
    ['100.2', '100'],
  ],
  mark: '100',
} as const;

const ACCOUNT_QUESTIONS = [
  ...['clearinghouseState', 'openOrders', 'frontendOpenOrders', 'webData2', 'portfolio', 'userFees', 'userRateLimit', 'referral'],
  ...['userFills', 'historicalOrders', 'userFunding', 'userNonFundingLedgerUpdates', 'twapHistory', 'userTwapSliceFills'],
]
  .map((type): object => ({ type }))
  .concat([
    { type: 'activeAssetData', coin: 'SOL' },
    { type: 'orderStatus', oid: 1 },
    { type: 'userFillsByTime', startTime: 0 },
    ...[{ type: 'explainFunding' }, { type: 'explainOrder', oid: 1 }, { type: 'userTwapHistory' }],
    ...[
      { type: 'explainBook', coin: 'SOL' },
      { type: 'userTwapSliceFillsByTime', startTime: 0 },
    ],
  ]);
/** The same for every account, or about all accounts of the user: no message has an account's entry. */
const FIXED = new Set([...fixedAnswers.map(({ type }) => type), 'subAccounts', 'subAccounts2', 'userRole']);
const ACCOUNT_PAGES = [
  'overview',
  'positions',
  'orders',
  'orders/open',
  'fills',
  'analytics?period=1d',
  'equity-curve?period=1d',
];

describe('private channels: what a client sees is what happened', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;
  let client: StreamClient;
  const clients: StreamClient[] = [];

  const connect = async (who = trader): Promise<StreamClient> => {
    const opened = await StreamClient.connect(exchange.stack.baseUrl, { apiKey: who.account.apiKey });
    clients.push(opened);
    return opened;
  };
  /** The unsent bytes at all sockets. */
  const unsentBytes = async (): Promise<number> =>
    Number(/^api_socket_bytes(?:\{[^}]*\})? (\d+)$/m.exec(await exchange.stack.metrics('api-0'))?.[1]);
  /** Subscribes; the response. */
  const subscribe = async (one: StreamClient, subscription: object, more: object = {}): Promise<StreamMessage> => {
    one.subscribe(subscription, more);
    return one.next('subscriptionResponse', 'error');
  };
  /** Subscribes to a channel with a snapshot; the snapshot. */
  const snapshotOf = async (one: StreamClient, subscription: object, channel: string): Promise<StreamMessage> => {
    const response = await subscribe(one, subscription);
    expect(response.channel, JSON.stringify(response)).to.equal('subscriptionResponse');
    return one.next(channel);
  };

  before(async () => {
    exchange = await sharedExchange();
    await exchange.book('SOL', BOOK);
  });
  beforeEach(async () => {
    trader = await exchange.trader();
    client = await connect();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((one) => one.stop()));
  });

  it('orderUpdates: an order rests, is canceled; one that fills when it comes was open, too', async () => {
    const response = await subscribe(client, { type: 'orderUpdates', user: STRANGER });
    expect(response).to.deep.equal({
      channel: 'subscriptionResponse',
      data: { method: 'subscribe', subscription: { type: 'orderUpdates', user: STRANGER.toLowerCase() } },
      seq: 1,
    });
    const cloid = `0x${'5'.repeat(32)}`;
    const oid = await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1', cloid });
    const open = await client.next('orderUpdates');
    const { timestamp } = open.data[0].order;
    const order = {
      coin: 'SOL',
      side: 'B',
      limitPx: '90.0',
      sz: '1.0',
      oid,
      timestamp,
      origSz: '1.0',
      cloid,
    };
    expect(open).to.deep.equal({
      channel: 'orderUpdates',
      data: [{ order, status: 'open', statusTimestamp: timestamp }],
      seq: 2,
    });

    await trader.cancel(['SOL', oid]);
    const canceled = await client.next('orderUpdates');
    const { statusTimestamp } = canceled.data[0];
    expect(canceled).to.deep.equal({ channel: 'orderUpdates', data: [{ order, status: 'canceled', statusTimestamp }], seq: 3 });

    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '1.5', tif: 'Ioc' });
    const filled = await client.next('orderUpdates');
    const words = filled.data.map((one: StreamMessage['data']) => `${one.status} ${one.order.sz}/${one.order.origSz}`);
    expect(words).to.deep.equal(['open 1.5/1.5', 'filled 0.0/1.5']);
    expect(filled.seq).to.equal(4);
  });

  it('EX-2.3d: orderUpdates tells each cut: `origSz - sz` is what was filled', async () => {
    await subscribe(client, { type: 'orderUpdates', user: STRANGER });
    const seen = async () => {
      const { data } = await client.next('orderUpdates');
      return data.map(
        ({ status, order: { oid: _, sz, origSz, ...order } }: StreamMessage['data']) => `${order.side} ${status} ${sz}/${origSz}`,
      );
    };
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '2', tif: 'Ioc' });
    expect(await seen()).to.deep.equal(['B open 2.0/2.0', 'B filled 0.0/2.0']);
    await trader.rest({ coin: 'SOL', buy: false, px: '110', sz: '5', reduceOnly: true });
    expect(await seen()).to.deep.equal(['A open 2.0/2.0']);
    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '1', tif: 'Ioc' });
    expect(await seen()).to.deep.equal(['A open 1.0/1.0', 'A open 1.0/1.0', 'A filled 0.0/1.0']);
    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '5', tif: 'Ioc', reduceOnly: true });
    expect(await seen()).to.deep.equal(['A reduceOnlyCanceled 1.0/1.0', 'A open 1.0/1.0', 'A filled 0.0/1.0']);
  });

  it('what is sent right after a subscription is heard by it', async () => {
    for (const type of ['orderUpdates', 'userFills', 'userEvents']) client.subscribe({ type, user: trader.account.address });
    const payload = trader.orderAction({ coin: 'SOL', buy: true, px: '101', sz: '0.5', tif: 'Ioc' });
    client.send({ method: 'post', id: 1, request: { type: 'action', payload: { action: payload, nonce: 1 } } });
    expect((await client.next('post')).data.response.payload.response.data.statuses[0]).to.have.property('filled');
    await until(() => ['orderUpdates', 'user'].every((channel) => client.all(channel).length === 1));
    await until(() => client.all('userFills').flatMap(({ data }) => data.fills).length === 1);
  });

  it('userFills: the past at once, then each fill once; aggregateByTime merges the parts of one order', async () => {
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '3', tif: 'Ioc' });
    const snapshot = await snapshotOf(client, { type: 'userFills', user: trader.account.address }, 'userFills');
    expect(snapshot.data).to.deep.equal({
      isSnapshot: true,
      user: trader.account.address,
      fills: (await trader.info('userFills')).reverse(),
    });
    expect(snapshot.data.fills.map(({ px, sz }: { px: string; sz: string }) => `${sz} at ${px}`)).to.deep.equal([
      '1.0 at 100.1',
      '2.0 at 100.2',
    ]);
    expect(snapshot.seq).to.equal(2);
    const merged = await connect();
    const parts = { type: 'userFills', user: trader.account.address, aggregateByTime: true };
    expect((await snapshotOf(merged, parts, 'userFills')).data.fills).to.have.length(1);

    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '60', tif: 'Ioc' });
    const update = await client.next('userFills');
    expect(update.data).to.have.all.keys('user', 'fills');
    expect(update.data.fills).to.deep.equal((await trader.info('userFills')).slice(0, 2).reverse());
    const { fills } = (await merged.next('userFills')).data;
    expect(fills).to.deep.equal((await trader.info('userFills', { aggregateByTime: true })).slice(0, 1));
    expect(fills).to.have.nested.property('[0].sz', '60.0');
  });

  it('userEvents come on channel user, one kind in a message', async () => {
    await subscribe(client, { type: 'userEvents', user: trader.account.address });
    await trader.rest({ coin: 'SOL', buy: false, px: '100.15', sz: '2' });
    await exchange.trades('SOL', ['B', '100.16', '5']);
    const message = await client.next('user');
    expect(message.data).to.have.all.keys('fills');
    expect(message.data.fills[0]).to.include({ coin: 'SOL', px: '100.15', sz: '2.0', side: 'A', crossed: false });
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '2', reduceOnly: true });
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '2', tif: 'Ioc' });
    const events = [await client.next('user'), await client.next('user')].map(({ data }) => Object.keys(data)[0]);
    expect(events).to.deep.equal(['fills', 'nonUserCancel']);
  });

  it('a ledger, funding, TWAPs and the log of orders begin with their past', async () => {
    const user = trader.account.address;
    const ledger = await snapshotOf(client, { type: 'userNonFundingLedgerUpdates', user }, 'userNonFundingLedgerUpdates');
    expect(ledger.data).to.deep.equal({
      isSnapshot: true,
      user,
      nonFundingLedgerUpdates: await trader.info('userNonFundingLedgerUpdates'),
    });
    expect((await snapshotOf(client, { type: 'userFundings', user }, 'userFundings')).data).to.deep.equal({
      isSnapshot: true,
      user,
      fundings: [],
    });
    const orders = await snapshotOf(client, { type: 'userHistoricalOrders', user }, 'userHistoricalOrders');
    expect(orders.data).to.deep.equal({ isSnapshot: true, user, orderHistory: [] });
    const slices = await snapshotOf(client, { type: 'userTwapSliceFills', user }, 'userTwapSliceFills');
    expect(slices.data).to.deep.equal({ isSnapshot: true, user, twapSliceFills: [] });
    const twaps = await snapshotOf(client, { type: 'userTwapHistory', user }, 'userTwapHistory');
    expect(twaps.data).to.deep.equal({ isSnapshot: true, user, history: [] });
    const states = await snapshotOf(client, { type: 'twapStates', user }, 'twapStates');
    expect(states.data).to.deep.equal({ dex: '', user, states: [] });

    const twap = { a: exchange.asset('SOL'), b: true, s: '20', r: false, m: 5, t: false };
    await subscribe(client, { type: 'orderUpdates', user });
    await trader.act({ type: 'twapOrder', twap });
    const [started] = (await client.next('userTwapHistory')).data.history;
    expect(started).to.deep.include({ status: { status: 'activated' } });
    const sliced = await client.next('userTwapSliceFills');
    expect(sliced.data.twapSliceFills).to.deep.equal((await trader.info('userTwapSliceFills')).reverse());
    await until(() => client.all('orderUpdates').length > 0);
    const slice = client.all('orderUpdates')[0]?.data;
    expect(slice.map((one: StreamMessage['data']) => [one.status, one.order.oid])).to.deep.equal(
      ['open', 'filled'].map((status) => [status, sliced.data.twapSliceFills[0].fill.oid]),
    );
    await until(() => client.all('twapStates').at(-1)?.data.states.length === 1);
    await trader.act({ type: 'twapCancel', a: exchange.asset('SOL'), t: started.twapId });
    await until(() => client.all('twapStates').at(-1)?.data.states.length === 0);
    const history = client.all('userTwapHistory').at(-1)?.data.history;
    expect(history).to.deep.equal((await trader.info('twapHistory')).slice(0, 1));
    await until(() => client.all('userHistoricalOrders').length > 1);
  });

  it('a first message has the past oldest first, with all that comes later behind it', async () => {
    const user = trader.account.address;
    const twap = { a: exchange.asset('SOL'), b: true, s: '20', r: false, m: 5, t: false };
    await trader.act({ type: 'twapOrder', twap });
    await until(async () => (await trader.info('userTwapSliceFills')).length > 0);
    const [{ twapId }] = await trader.info('twapHistory');
    await trader.act({ type: 'twapCancel', a: exchange.asset('SOL'), t: twapId });
    await trader.act({ type: 'twapOrder', twap });
    await until(async () => (await trader.info('userTwapSliceFills')).length > 1);
    const [{ twapId: second }] = await trader.info('twapHistory');
    await trader.act({ type: 'twapCancel', a: exchange.asset('SOL'), t: second });
    await trader.cancel(['SOL', await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' })]);
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '3', tif: 'Ioc' });
    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '3', tif: 'Ioc' });
    const lists = [
      { channel: 'userFills', field: 'fills', answer: 'userFills' },
      { channel: 'userTwapSliceFills', field: 'twapSliceFills', answer: 'userTwapSliceFills' },
      { channel: 'userTwapHistory', field: 'history', answer: 'twapHistory' },
      { channel: 'userHistoricalOrders', field: 'orderHistory', answer: 'historicalOrders' },
    ];
    for (const { channel, field, answer } of lists) {
      const one = await connect();
      const { data } = await snapshotOf(one, { type: channel, user }, channel);
      const newestFirst: object[] = await trader.info(answer);
      expect(newestFirst, answer).to.have.length.above(1);
      expect(data[field], channel).to.deep.equal(newestFirst.toReversed());
      const all = await connect();
      await subscribe(all, { type: channel, user, fromSeq: 0 });
      await until(() => all.all(channel).flatMap((message) => message.data[field]).length >= newestFirst.length);
      expect(
        all.all(channel).flatMap((message) => message.data[field]),
        `${channel} from its first entry on`,
      ).to.deep.equal(data[field]);
    }
    const merged = await snapshotOf(client, { type: 'userFills', user, aggregateByTime: true }, 'userFills');
    expect(merged.data.fills.map(({ side, sz }: { side: string; sz: string }) => side + sz)).to.deep.equal(['B3.0', 'A3.0']);
  });

  it('a TWAP with a trigger and a stop price is shown while it waits, as it starts and as it ends', async () => {
    const user = trader.account.address;
    const client = await connect();
    await exchange.book('SOL', { bids: [['99.9', '50']], asks: [['100', '50']], mark: '100' });
    await snapshotOf(client, { type: 'userTwapHistory', user }, 'userTwapHistory');
    await snapshotOf(client, { type: 'twapStates', user }, 'twapStates');
    const twap = { a: exchange.asset('SOL'), b: true, s: '20', r: false, m: 10_080, t: false };
    await trader.act({ type: 'twapOrder', twap, details: { t: { p: '101', a: true }, s: '102' } });
    const shown = { trigger: { px: '101.0', above: true }, stopPx: '102.0' };
    await until(() => client.all('twapStates').at(-1)?.data.states.length === 1);
    expect(client.all('twapStates').at(-1)?.data.states[0][1]).to.deep.include({ ...shown, executedSz: '0.0' });
    await exchange.mark('SOL', '101');
    await until(async () => (await trader.info('userTwapSliceFills')).length === 1);
    await exchange.mark('SOL', '102');
    await until(() => client.all('twapStates').at(-1)?.data.states.length === 0);
    const rows: { status: object; state: object }[] = await trader.info('twapHistory');
    expect(rows.map(({ status }) => status)).to.deep.equal(
      ['stopped', 'activated', 'waitingForTrigger'].map((status) => ({ status })),
    );
    for (const { state } of rows) expect(state).to.deep.include(shown);
  });

  it('states follow each entry, and the mark', async () => {
    const user = trader.account.address;
    const all = await connect();
    for (const type of ['clearinghouseState', 'openOrders', 'spotState', 'allDexsClearinghouseState', 'webData2', 'webData3']) {
      const snapshot = await snapshotOf(all, { type, user }, type);
      expect(snapshot.seq, type).to.equal(1);
      expect(snapshot.data.user ?? snapshot.data.userState.user, type).to.equal(user);
    }
    const data = { type: 'activeAssetData', user, coin: 'SOL' };
    expect((await snapshotOf(all, data, 'activeAssetData')).data).to.deep.equal(
      await trader.info('activeAssetData', { coin: 'SOL' }),
    );

    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '1', tif: 'Ioc' });
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    for (const type of ['clearinghouseState', 'openOrders', 'allDexsClearinghouseState', 'webData2']) {
      await until(() => all.all(type).at(-1)?.seq === 3);
    }
    const { time: _, ...state } = await trader.info('clearinghouseState');
    expect(all.all('clearinghouseState').at(-1)?.data.clearinghouseState).to.deep.include(state);
    const [[dex, ofDex]] = all.all('allDexsClearinghouseState').at(-1)?.data.clearinghouseStates ?? [[]];
    expect(dex).to.equal('');
    expect(ofDex).to.deep.include(state);
    expect(all.all('openOrders').at(-1)?.data).to.deep.equal({ dex: '', user, orders: await trader.info('frontendOpenOrders') });
    const web = all.all('webData2').at(-1)?.data;
    expect(Object.keys(web)).to.deep.equal(Object.keys(await trader.info('webData2')));

    const markOf = () => all.all('activeAssetData').at(-1)?.data.markPx;
    await exchange.mark('SOL', '100.05');
    await until(() => markOf() === '100.05');
    // States that prices move come once a second, other states every five: a node that sleeps sends neither.
    const shown = (type: string) => all.all(type).length;
    const before = { clearinghouseState: shown('clearinghouseState'), openOrders: shown('openOrders') };
    await until(() => shown('clearinghouseState') >= before.clearinghouseState + 3);
    expect(shown('openOrders') - before.openOrders).to.be.below(3);
    const [position] = all.all('clearinghouseState').at(-1)?.data.clearinghouseState.assetPositions ?? [];
    expect(position.position.positionValue).to.equal('100.05');
    await exchange.mark('SOL', '100');
  });

  it('a snapshot names the state that it is of, where that is asked for', async () => {
    const user = trader.account.address;
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '1', tif: 'Ioc' });
    const named = { user, stateHash: true };
    const state = await snapshotOf(client, { type: 'clearinghouseState', ...named }, 'clearinghouseState');
    expect(state.stateHash).to.match(/^h2:[0-9a-f]{64}$/);
    for (const type of ['userFills', 'openOrders', 'webData2', 'userFundings']) {
      const other = await connect();
      const { seq, stateHash } = await snapshotOf(other, { type, ...named }, type);
      expect({ seq, stateHash }, type).to.deep.equal({ seq: state.seq, stateHash: state.stateHash });
      expect(await snapshotOf(other, { type: 'spotState', user }, 'spotState')).not.to.have.property('stateHash');
    }
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    await until(() => client.all('clearinghouseState').at(-1)?.seq === 3);
    const after = client.all('clearinghouseState').at(-1);
    const again = await connect();
    expect((await snapshotOf(again, { type: 'userFills', ...named }, 'userFills')).stateHash).to.equal(after?.stateHash);
    expect(after?.stateHash).not.to.equal(state.stateHash);
    const refused = await subscribe(again, { type: 'openOrders', user, stateHash: 'yes' });
    expect(refused.data).to.match(/^Invalid subscription \{/);
  });

  it('every answer about the account over HTTP tells the entry that the stream tells, from a view and from its owner', async () => {
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '1', tif: 'Ioc' });
    const { seq } = await snapshotOf(client, { type: 'clearinghouseState' }, 'clearinghouseState');
    const base = `${exchange.stack.baseUrl}/v1/exchanges/perpx`;
    const headers = { 'content-type': 'application/json', 'x-api-key': trader.account.apiKey };
    const told = async (path: string, body?: object): Promise<string | null> => {
      const posted = body && { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${base}/${path}`, { headers, ...posted });
      expect(answer.status, await answer.text()).to.equal(200);
      return answer.headers.get('x-account-seq');
    };
    const [{ tid }] = await exchange.stack.ask(trader.account.apiKey, { type: 'userFills' });
    const questions = [...ACCOUNT_QUESTIONS, { type: 'explainFill', tid }] as { type: string }[];
    const all = allInfoTypes().filter(({ type, schema }) => 'user' in schema.properties && !FIXED.has(type));
    expect(new Set(questions.map(({ type }) => type))).to.include.all.keys(...all.map(({ type }) => type));
    for (const body of questions) {
      for (let i = 0; i < 2; i++) expect(await told('info', body), JSON.stringify(body)).to.equal(String(seq));
    }
    for (const path of ACCOUNT_PAGES) expect(await told(`account/${path}`), path).to.equal(String(seq));
    expect(await told('info', { type: 'meta' })).to.equal(null);
  });

  it('a subscription with fromSeq is told what it missed, and nothing twice', async () => {
    const user = trader.account.address;
    await subscribe(client, { type: 'orderUpdates', user });
    await subscribe(client, { type: 'userFills', user });
    const act = async (price: number): Promise<void> => {
      await trader.rest({ coin: 'SOL', buy: true, px: String(price), sz: '1' });
      await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '0.5', tif: 'Ioc' });
    };
    for (const price of [81, 82, 83]) await act(price);
    await until(() => client.all('orderUpdates').length === 6);
    const told = client.all('orderUpdates');
    for (const known of [1, 4, 6, 7]) {
      const again = await connect();
      const missed = told.filter(({ seq = 0 }) => seq > known);
      const response = await subscribe(again, { type: 'orderUpdates', user }, { fromSeq: known });
      expect(response).to.deep.include({ seq: known });
      expect(response.data.subscription).to.deep.equal({ type: 'orderUpdates', user, fromSeq: known });
      for (const message of missed) expect(await again.next('orderUpdates')).to.deep.equal(message);
    }
    const fills = await connect();
    await subscribe(fills, { type: 'userFills', user, fromSeq: 3 });
    for (const message of client.all('userFills').filter(({ seq = 0, data }) => seq > 3 && !data.isSnapshot)) {
      expect(await fills.next('userFills')).to.deep.equal(message);
    }
    await act(84);
    await until(() => clients.slice(1).every((one) => one.messages.at(-1)?.seq === 9 || one.messages.at(-1)?.seq === 8));
    for (const one of clients.slice(1, -1)) {
      expect(one.messages.filter(({ seq, channel }) => seq === 8 && channel === 'orderUpdates')).to.have.length(1);
    }
  });

  it('a reset is told as the deposit that it begins with, and can be told again', async () => {
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    await subscribe(client, { type: 'userNonFundingLedgerUpdates' });
    await trader.reset();
    await until(() => client.all('userNonFundingLedgerUpdates').length === 2);
    const begun = client.all('userNonFundingLedgerUpdates').at(-1);
    expect(begun?.data.nonFundingLedgerUpdates[0].delta).to.deep.equal({ type: 'deposit', usdc: '10000.0' });
    const seq = begun?.seq ?? 0;
    const after = await connect();
    await subscribe(after, { type: 'userNonFundingLedgerUpdates', fromSeq: seq - 1 });
    expect((await after.next('userNonFundingLedgerUpdates')).data).to.deep.equal(begun?.data);
  });

  it('a reset tells what was open on every channel that tells such ends, once, and again to who asks from before it', async () => {
    const user = trader.account.address;
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '1', tif: 'Ioc' });
    const resting = await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    const [waiting] = await trader
      .act({
        ...{ type: 'order', grouping: 'na' },
        orders: [
          {
            ...{ a: exchange.asset('SOL'), b: false, p: '80', s: '1', r: true },
            t: { trigger: { isMarket: true, triggerPx: '85', tpsl: 'sl' } },
          },
        ],
      })
      .then(({ body }) => body.response.data.statuses);
    const twap = { a: exchange.asset('SOL'), b: true, s: '20', r: false, m: 30, t: false };
    await trader.act({ type: 'twapOrder', twap, details: { t: { p: '150', a: true }, s: null } });
    const channels = ['orderUpdates', 'userEvents', 'userHistoricalOrders', 'userTwapHistory', 'userFills'];
    for (const type of channels) await subscribe(client, { type, user });
    await subscribe(client, { type: 'clearinghouseState', user });
    await until(() => client.all('clearinghouseState').at(-1)?.data.clearinghouseState.assetPositions.length === 1);
    await trader.reset();
    await until(() => client.all('clearinghouseState').at(-1)?.data.clearinghouseState.assetPositions.length === 0);
    await until(() => client.all('userTwapHistory').length === 2);
    const { seq = 0 } = client.all('clearinghouseState').at(-1) ?? {};
    const oids = [resting, waiting.resting.oid];
    const told = (one: StreamClient, channel: string) => one.all(channel).filter((message) => message.seq === seq);
    const expectTold = async (one: StreamClient): Promise<void> => {
      await until(() => told(one, 'user').length === 2);
      const [updates] = told(one, 'orderUpdates');
      expect(updates?.data.map((row: StreamMessage['data']) => [row.order.oid, row.status, row.order.sz])).to.deep.equal(
        oids.map((oid) => [oid, 'canceled', '1.0']),
      );
      expect(told(one, 'user').map(({ data }) => Object.keys(data)[0])).to.deep.equal(['nonUserCancel', 'twapHistory']);
      expect(told(one, 'user')[0]?.data.nonUserCancel).to.deep.equal(oids.map((oid) => ({ coin: 'SOL', oid })));
      const [log] = told(one, 'userHistoricalOrders');
      expect(log?.data.orderHistory.map(({ order, status }: StreamMessage['data']) => [order.oid, status])).to.deep.equal(
        oids.map((oid) => [oid, 'canceled']),
      );
      expect(told(one, 'userTwapHistory')[0]?.data.history).to.have.nested.property('[0].status.status', 'terminated');
      for (const channel of ['orderUpdates', 'userHistoricalOrders', 'userTwapHistory']) {
        expect(told(one, channel), channel).to.have.length(1);
      }
    };
    await expectTold(client);
    expect(told(client, 'userFills'), 'a reset is no trade').to.deep.equal([]);
    const again = await connect();
    for (const type of channels) await subscribe(again, { type, user }, { fromSeq: seq - 1 });
    await expectTold(again);
    for (const type of ['historicalOrders', 'twapHistory', 'userFills']) expect(await trader.info(type), type).to.deep.equal([]);
  });

  it('a state of which only changes are asked for comes once for each of them; others have it at intervals as before', async () => {
    const user = trader.account.address;
    for (const onlyChanges of ['yes', 1, {}, [true]]) {
      const refused = await subscribe(client, { type: 'openOrders', user, onlyChanges });
      expect(refused, JSON.stringify(onlyChanges)).to.deep.include({ channel: 'error' });
      expect(refused.data).to.match(/^Invalid subscription \{/);
    }
    const types = ['openOrders', 'twapStates', 'spotState', 'webData2', 'allDexsClearinghouseState'];
    for (const type of types) {
      const { data } = await subscribe(client, { type, user, onlyChanges: true });
      expect(data.subscription, type).to.deep.equal({ type, user, onlyChanges: true });
    }
    const already = await subscribe(client, { type: 'openOrders', user });
    expect(already.data).to.match(/^Already subscribed: /);
    const stock = await connect();
    for (const onlyChanges of [undefined, null, false]) {
      expect((await subscribe(stock, { type: 'openOrders', user, onlyChanges })).channel).to.equal('subscriptionResponse');
      stock.unsubscribe({ type: 'openOrders', user });
    }
    await subscribe(stock, { type: 'openOrders', user });
    const oidsOf = (one: StreamClient): number[][] =>
      one.all('openOrders').map(({ data }) => data.orders.map(({ oid }: { oid: number }) => oid));

    const oid = await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    await until(() => client.all('openOrders').at(-1)?.seq === 2);
    // An entry that changes no open order, and the interval: the other client hears of both.
    await trader.place({ coin: 'SOL', buy: true, px: '101', sz: '0.5', tif: 'Ioc' });
    await until(() => stock.all('openOrders').filter(({ seq }) => seq === 3).length >= 2);
    await trader.cancel(['SOL', oid]);
    await until(() => client.all('openOrders').at(-1)?.seq === 4);
    expect(oidsOf(client)).to.deep.equal([[], [oid], []]);
    expect(client.all('twapStates')).to.have.length(1);
    expect(client.all('spotState')).to.have.length(1);
    // Again, after a break: the whole.
    client.unsubscribe({ type: 'openOrders', user });
    expect((await snapshotOf(client, { type: 'openOrders', user, onlyChanges: true }, 'openOrders')).data.orders).to.deep.equal(
      [],
    );
  });

  it('a reset is told by the begin of the account to those who ask for it, once, and to nobody else', async () => {
    const user = trader.account.address;
    const begun = { type: 'accountStart', user, onlyChanges: true };
    const first = await snapshotOf(client, begun, 'accountStart');
    expect(first).to.deep.equal({ channel: 'accountStart', data: { user, time: first.data.time }, seq: 1 });
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    const stock = await connect();
    await subscribe(stock, { type: 'openOrders', user });
    await until(() => stock.all('openOrders').length > 0);
    await trader.reset();
    await until(() => client.all('accountStart').length === 2);
    await until(() => stock.all('openOrders').at(-1)?.data.orders.length === 0);
    const [, second] = client.all('accountStart');
    expect(second?.data.time).to.be.above(first.data.time);
    expect(second?.seq).to.equal(3);
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    await until(() => stock.all('openOrders').at(-1)?.data.orders.length === 1);
    const again = await connect();
    expect((await snapshotOf(again, begun, 'accountStart')).data).to.deep.equal(second?.data);
    expect(client.all('accountStart')).to.have.length(2);
    expect(new Set(stock.messages.map(({ channel }) => channel))).to.have.all.keys('subscriptionResponse', 'openOrders');
  });

  it('a client that does not read is closed with 4008, and fromSeq brings exactly what it missed', async () => {
    const user = trader.account.address;
    const reader = await connect();
    for (const one of [client, reader]) await subscribe(one, { type: 'orderUpdates', user });
    // The same under several addresses and names: the messages of some fills are larger than all buffers on the way.
    const types = ['userHistoricalOrders', 'userFills', 'userEvents'];
    for (let n = 0; n < 9; n++) {
      const address = `0x${String(n).padStart(40, '0')}`;
      for (const type of types) client.subscribe({ type, user: address });
      client.subscribe({ type: 'userFills', user: address, aggregateByTime: true });
    }
    await until(() => client.all('subscriptionResponse').length === 1 + 9 * 4);
    client.socket.pause();
    await exchange.book('SOL', { bids: [['99.9', '50000']], asks: [['100.1', '50000']], mark: '100' });
    const orders = Array.from({ length: 20 }, (_, n) => {
      const buy = n % 2 === 0;
      return { coin: 'SOL', buy, px: buy ? '101' : '99', sz: '0.2', tif: 'Ioc' as const };
    });
    // How much the operating system takes before anything waits in the exchange depends on the machine.
    let batches = 0;
    const trade = async (times: number): Promise<void> => {
      await Promise.all(Array.from({ length: times }, () => trader.place(...orders)));
      batches += times;
      await until(() => reader.all('orderUpdates').length === batches);
    };
    while ((await unsentBytes()) <= UNSENT_BYTES_MAX) await trade(10);
    await trade(1);
    client.socket.resume();
    expect((await client.close()).code).to.equal(4008);

    const heard = client.all('orderUpdates');
    const known = heard.at(-1)?.seq ?? 1;
    expect(heard.length).to.be.lessThan(batches);
    const again = await connect();
    await subscribe(again, { type: 'orderUpdates', user }, { fromSeq: known });
    await until(() => again.all('orderUpdates').at(-1)?.seq === reader.all('orderUpdates').at(-1)?.seq);
    expect([...heard, ...again.all('orderUpdates')]).to.deep.equal(reader.all('orderUpdates'));
    expect(reader.closed).to.equal(undefined);
  });

  it('a number that the account has not reached, or that is none, is refused, and the socket lives', async () => {
    const sent = { type: 'orderUpdates', user: trader.account.address, fromSeq: 99 };
    const refused = await subscribe(client, sent);
    expect(refused).to.deep.equal({
      channel: 'error',
      data: `Invalid subscription ${JSON.stringify(sent)}: fromSeq is 99, but the account is at 1.`,
    });
    const state = { type: 'openOrders', fromSeq: 99 };
    expect((await subscribe(client, state)).data).to.equal(
      `Invalid subscription ${JSON.stringify(state)}: fromSeq is 99, but the account is at 1.`,
    );
    for (const fromSeq of [-1, 1.5, '3', 1e300, {}]) {
      expect((await subscribe(client, { ...sent, fromSeq })).data).to.match(/^Invalid subscription \{/);
    }
    expect(await subscribe(client, { type: 'userFills', user: 'nobody' })).to.include({ channel: 'error' });
    expect(await subscribe(client, { type: 'openOrders', dex: 'xyz' })).to.include({ channel: 'error' });
    expect(await subscribe(client, { type: 'activeAssetData', coin: 'NOPE' })).to.include({ channel: 'error' });
    expect(await subscribe(client, { type: 'orderUpdates' })).to.include({ channel: 'subscriptionResponse' });
  });

  it('nobody hears of another account, whatever address is asked for', async () => {
    const other = await exchange.trader();
    await subscribe(client, { type: 'orderUpdates', user: other.account.address });
    await other.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    await trader.rest({ coin: 'SOL', buy: true, px: '91', sz: '1' });
    expect((await client.next('orderUpdates')).data[0].order).to.include({ limitPx: '91.0' });
    expect(client.all('orderUpdates')).to.have.length(1);
  });

  it('names 15 addresses at most, whatever it hears of each', async () => {
    const user = (n: number): string => `0x${String(n).padStart(40, '0')}`;
    for (let n = 1; n <= 15; n++) await snapshotOf(client, { type: 'twapStates', user: user(n) }, 'twapStates');
    const refused = await subscribe(client, { type: 'twapStates', user: user(16) });
    expect(refused).to.deep.equal({ channel: 'error', data: 'Cannot track more than 15 total users.' });
    await snapshotOf(client, { type: 'openOrders', user: user(15) }, 'openOrders');
    client.unsubscribe({ type: 'twapStates', user: user(1) });
    await client.next('subscriptionResponse');
    await snapshotOf(client, { type: 'twapStates', user: user(16) }, 'twapStates');
  });

  it('notification: a resting order that fills', async () => {
    await subscribe(client, { type: 'notification', user: trader.account.address });
    await trader.rest({ coin: 'SOL', buy: false, px: '100.15', sz: '2' });
    await exchange.trades('SOL', ['B', '100.16', '5']);
    expect((await client.next('notification')).data).to.deep.equal({
      notification: 'Resting order filled: Sold 2 SOL at $100.15',
    });
  });

  it('notification: a margin that becomes thin, once at 80 and at 95 %, then the liquidation', async () => {
    const coin = 'NEAR';
    const book = { bids: [['99.9', '500']], asks: [['100.1', '500']] } as const;
    await exchange.book(coin, { ...book, mark: '100' });
    await subscribe(client, { type: 'notification', user: trader.account.address });
    expect(await trader.leverage(coin, 10)).to.equal('ok');
    await trader.place({ coin, buy: true, px: '101', sz: '400', tif: 'Ioc' });
    const warnings = () => client.all('notification').map(({ data }) => data.notification);
    // 400 bought for 40040 with 10000 USD, 18 of fee, 5 % to be kept: 69 % at 81, 93 % at 79.4, 97 % at 79.2, over at 79.1.
    const mark = async (px: string): Promise<void> => {
      await exchange.mark(coin, px);
      await trader.place({ coin, buy: true, px: '50', sz: '1' }); // whatever comes of it is an entry: the account is looked at
    };
    await mark('81');
    expect(warnings()).to.deep.equal([]);
    await mark('79.4');
    await until(() => warnings().length === 1);
    expect(warnings()[0]).to.match(/^Margin warning: maintenance margin \$\d+\.\d+ is 80 % or more of the cross account value/);
    await mark('79.2');
    await until(() => warnings().length === 2);
    expect(warnings()[1]).to.include('is 95 % or more');
    // A later listener hears the current state, and nobody else hears it again.
    const late = await connect();
    await subscribe(late, { type: 'notification', user: trader.account.address });
    expect((await late.next('notification')).data.notification).to.include('is 95 % or more');
    expect(warnings()).to.have.length(2);
    await exchange.mark(coin, '75');
    await until(() => warnings().some((text) => text.startsWith('Liquidation (cross): 400 NEAR')));
  });

  it('notification: an isolated position whose margin becomes thin, whatever stands behind the others', async () => {
    const coin = 'AVAX';
    await exchange.book(coin, { bids: [['99.9', '500']], asks: [['100.1', '500']], mark: '100' });
    await subscribe(client, { type: 'notification', user: trader.account.address });
    expect(await trader.leverage(coin, 10, 'isolated')).to.equal('ok');
    await trader.place({ coin, buy: true, px: '101', sz: '10', tif: 'Ioc' });
    const { marginUsed, liquidationPx } = await trader.position(coin);
    const warnings = () => client.all('notification').map(({ data }) => data.notification);
    // The margin behind it falls by 10 USD for each dollar of the mark; the maintenance margin meets it at the liquidation price.
    const rate = (Number(marginUsed) - 10 * (100 - Number(liquidationPx))) / (10 * Number(liquidationPx));
    const markAt = (share: number): string => ((1000 - Number(marginUsed)) / (10 * (1 - rate / share))).toFixed(3);
    const mark = async (px: string): Promise<void> => {
      await exchange.mark(coin, px);
      await trader.place({ coin, buy: true, px: '50', sz: '1' });
    };
    await mark(markAt(0.75));
    await trader.place({ coin, buy: true, px: '50', sz: '1' });
    expect(warnings()).to.deep.equal([]);
    await mark(markAt(0.85));
    await until(() => warnings().length === 1);
    expect(warnings()[0]).to.match(
      /^Margin warning: maintenance margin \$[\d.]+ is 80 % or more of the value of the isolated AVAX position \$[\d.]+$/,
    );
    await mark(markAt(0.97));
    await until(() => warnings().length === 2);
    expect(warnings()[1]).to.include('is 95 % or more of the value of the isolated AVAX position');
  });

  it('after unsubscribing nothing comes, and a second socket goes on', async () => {
    const user = trader.account.address;
    const other = await connect();
    for (const one of [client, other]) await subscribe(one, { type: 'orderUpdates', user });
    client.unsubscribe({ type: 'orderUpdates', user });
    await client.next('subscriptionResponse');
    await trader.rest({ coin: 'SOL', buy: true, px: '90', sz: '1' });
    expect((await other.next('orderUpdates')).data[0]).to.include({ status: 'open' });
    await subscribe(client, { type: 'orderUpdates', user });
    await trader.rest({ coin: 'SOL', buy: true, px: '91', sz: '1' });
    expect((await client.next('orderUpdates')).data[0].order).to.include({ limitPx: '91.0' });
  });
});
