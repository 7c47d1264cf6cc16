// A stop that has fired into size that its account had taken waits for newer books (rule 2.4), on a whole exchange whose actors die by kill -9
// in the middle of the wait, and at the moment of a book that fills a part.
import { expect } from 'chai';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Of the stop, as its account sees it. */
interface Seen {
  readonly status: string;
  readonly left: number;
  readonly filled: number;
  readonly fills: number;
}

describe('a fired stop that waits, and kill -9', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let sol: number;
  let oid: number;

  before(async () => {
    stack = await startStack({ apis: 1, pods: 1, env: { SHARDS: '1' } });
    user = await stack.register();
    const { universe } = (await stack.info(user.apiKey, { type: 'meta' })).body;
    sol = universe.findIndex(({ name }: { name: string }) => name === 'SOL');
  });
  after(() => stack.stop());

  const send = (action: object): Promise<Answer> => stack.exchange(user.apiKey, action);
  // biome-ignore lint/suspicious/noExplicitAny: a body is whatever the endpoint sends; the test says what it should be
  const info = async (body: object): Promise<any> => (await stack.info(user.apiKey, body)).body;
  const setBook = (bid: readonly [string, string], ask: readonly [string, string]): Promise<unknown> =>
    stack.market.control({ op: 'setBook', coin: 'SOL', bids: [bid], asks: [ask] });
  const isShown = (px: string): Promise<void> =>
    until(async () => (await info({ type: 'l2Book', coin: 'SOL' })).levels[0][0]?.px === px);

  const seen = async (): Promise<Seen> => {
    const { order } = await info({ type: 'orderStatus', oid });
    const fills: { oid: number; sz: string; tid: number }[] = await info({ type: 'userFills' });
    const own = fills.filter((fill) => fill.oid === oid);
    expect(new Set(own.map(({ tid }) => tid)).size).to.equal(own.length);
    const sum = own.reduce((total, { sz }) => total + Number(sz), 0);
    return { status: order.status, left: Number(order.sz), filled: Number(order.filledSz), fills: Math.round(sum * 100) / 100 };
  };

  /** Nothing is lost and nothing doubled: the fills, the rest of the orders and the position add up. */
  const addsUp = async (): Promise<Seen> => {
    const before = await seen();
    const [{ position }] = (await info({ type: 'clearinghouseState' })).assetPositions;
    const now = await seen();
    if (before.filled !== now.filled) return addsUp();
    expect(now).to.include({ fills: now.filled, left: 25 - now.filled });
    expect(Number(position.szi)).to.equal(25 - now.filled);
    return now;
  };

  const died = async (): Promise<void> => {
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    // A view of the API could still answer questions; a command needs the new owner.
    await until(async () => (await send({ type: 'cancel', cancels: [{ a: sol, o: 1 }] })).status === 200);
  };

  it('it fires, takes what its account may, and is triggered with the rest', async () => {
    await setBook(['99.9', '50'], ['100', '50']);
    await stack.market.control({ op: 'setMark', coin: 'SOL', px: '100' });
    await isShown('99.9');
    await send(orderAction(sol, { px: '100', sz: '30', tif: 'Ioc' }));
    const trigger = { isMarket: true, triggerPx: '95', tpsl: 'sl' };
    const stop = { a: sol, b: false, p: '85', s: '25', r: true, t: { trigger } };
    const placed = await send({ type: 'order', orders: [stop], grouping: 'na' });
    oid = placed.body.response.data.statuses[0].resting.oid;
    await setBook(['90', '8'], ['130', '50']);
    await isShown('90.0');
    const taken = await send(orderAction(sol, { buy: false, px: '90', sz: '5', tif: 'Ioc' }));
    expect(taken.body.response.data.statuses[0].filled?.totalSz, JSON.stringify(taken.body)).to.equal('5.0');
    await stack.market.control({ op: 'setMark', coin: 'SOL', px: '95' });
    await until(async () => (await seen()).status === 'triggered');
    expect((await addsUp()).filled).to.be.greaterThanOrEqual(3);
    expect((await info({ type: 'explainOrder', oid })).open.reason).to.equal('firedIntoTaken');
  });

  it('its actors die: it waits on as it was', async () => {
    await died();
    expect(await addsUp()).to.include({ status: 'triggered' });
    expect((await info({ type: 'openOrders' })).map((order: { oid: number }) => order.oid)).to.deep.equal([oid]);
  });

  it('they die as a book comes that fills a part, and it goes on at newer ones, each coin once', async () => {
    const { filled } = await addsUp();
    await setBook(['90', '12'], ['130', '50']);
    await died();
    await until(async () => (await seen()).filled > filled);
    expect(await addsUp()).to.include({ status: 'triggered' });
    await setBook(['90', '200'], ['130', '50']);
    await until(async () => (await seen()).status === 'filled');
    expect(await seen()).to.include({ left: 0, filled: 25, fills: 25 });
    expect((await info({ type: 'clearinghouseState' })).assetPositions).to.deep.equal([]);
    const rows: { status: string; order: { oid: number } }[] = await info({ type: 'historicalOrders' });
    const statuses = rows.filter(({ order }) => order.oid === oid).map(({ status }) => status);
    expect(statuses.toSorted()).to.deep.equal(['filled', 'open', 'triggered']);
  });
});
