// Orders of more than the 20 levels that the venue displays, on a whole exchange: an order, a stop and a dry run meet the venue's aggregated book (rule
// 3.5). The venue's books are scripted, so that the sums are made by hand.
import { expect } from 'chai';
import { marketKeys } from '../../src/shared/redis/keys.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Prices a tenth apart, 0.1 SOL at each. */
const ladder = (first: number, step: number, count: number) =>
  Array.from({ length: count }, (_, at) => [(first + step * at).toFixed(1), '0.1'] as const);

describe('orders beyond the displayed levels', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let sol: number;

  before(async () => {
    stack = await startStack({ apis: 1, pods: 1, env: { SHARDS: '1' } });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
    // 30 asks up to 103.0, of which 102.0 is the last that is displayed; as many bids down to 97.0.
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: ladder(99.9, -0.1, 30), asks: ladder(100.1, 0.1, 30) });
    user = await stack.register();
    const meta = (await stack.info(user.apiKey, { type: 'meta' })).body;
    sol = meta.universe.findIndex(({ name }: { name: string }) => name === 'SOL');
    await until(async () => (await stack.info(user.apiKey, { type: 'l2Book', coin: 'SOL' })).body.levels[1][19]?.px === '102.0');
  });
  after(() => stack.stop());

  const send = (action: object, envelope: object = {}): Promise<Answer> => stack.exchange(user.apiKey, action, { envelope });
  const fills = async (): Promise<Record<string, string>[]> => (await stack.info(user.apiKey, { type: 'userFills' })).body;

  it('the book that is shown has 20 levels a side', async () => {
    const { body } = await stack.info(user.apiKey, { type: 'l2Book', coin: 'SOL' });
    expect(body.levels.map((side: unknown[]) => side.length)).to.deep.equal([20, 20]);
  });

  it('a dry run and the order fill beyond it, at the worst price of a bucket; the evidence says so', async () => {
    const buy = orderAction(sol, { px: '105', sz: '2.5', tif: 'Ioc' });
    const dry = await send(buy, { dryRun: true });
    expect(dry.body.response?.data.answer.response.data.statuses[0].filled?.totalSz, JSON.stringify(dry.body)).to.equal('2.5');
    const { body } = await send(buy);
    const [{ filled }] = body.response.data.statuses;
    // 0.1 at 100.1 to 102.0, which is 202.1, and 0.5 of the 1.0 up to 103: 253.6 / 2.5.
    expect(filled).to.include({ totalSz: '2.5', avgPx: '101.44' });
    const [last] = await fills();
    expect(last).to.include({ px: '103.0', sz: '0.5' });
    const explained = (await stack.info(user.apiKey, { type: 'explainFill', tid: last?.['tid'] })).body;
    expect(explained.evidence.book.beyond).to.include({ fromPx: '102.0' });
    expect(explained.evidence.book.levels).to.deep.equal([
      { px: '103.0', displayedSz: '1.0', consumedBefore: '0.0', takenSz: '0.5' },
    ]);
  });

  it('a position of more than is displayed has its coin’s book kept, so a stop fills in one go', async () => {
    await until(async () => {
      const fields = Object.values(await stack.redis.hgetall(marketKeys.deepWants));
      return fields.some((text) => text.endsWith(` 2.5 held ${user.address}`)) && fields.length >= 2;
    });
    const trigger = { isMarket: true, triggerPx: '95', tpsl: 'sl' };
    const stop = { a: sol, b: false, p: '90', s: '2.5', r: true, t: { trigger } };
    const placed = await send({ type: 'order', orders: [stop], grouping: 'na' });
    expect(placed.body.response.data.statuses[0], JSON.stringify(placed.body)).to.have.property('resting');
    await stack.market.control({ op: 'setMark', coin: 'SOL', px: '95' });
    await until(async () => (await stack.info(user.apiKey, { type: 'clearinghouseState' })).body.assetPositions.length === 0);
    const [last, before] = await fills();
    // 0.1 at 99.9 to 98.0, then the bucket from 98.0 down to 97.
    expect(last).to.include({ px: '97.0', sz: '0.5', dir: 'Close Long' });
    expect(before).to.include({ px: '98.0', sz: '0.1' });
  });
});
