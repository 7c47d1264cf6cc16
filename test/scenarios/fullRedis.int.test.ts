// A Redis that has used up its memory, seen over HTTP: market data are answered, and what needs a write is refused in words.
import { expect } from 'chai';
import { infoTypes } from '../../src/api/info/answerInfo.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';

const FIVE_MINUTES_MS = 300_000;
const CANDLES = 500;
/**
 * Requests to the account's owner that go through its mailbox. All else has been asked before, and is answered from what nodes
 * hold.
 */
const PAST = [
  ...[
    'explainFill',
    'explainOrder',
    'historicalOrders',
    'orderStatus',
    'portfolio',
    'twapHistory',
    'userFills',
    'userFillsByTime',
    'userFunding',
  ],
  ...['userNonFundingLedgerUpdates', 'userTwapHistory', 'userTwapSliceFills', 'userTwapSliceFillsByTime'],
];

describe('a full Redis, over HTTP', function () {
  this.timeout(600_000);
  let stack: Stack;
  let account: TestAccount;

  before(async () => {
    stack = await startStack({});
    account = await stack.register();
  });
  after(() => stack.stop());

  const post = (path: 'info' | 'exchange', body: object): Promise<Answer> =>
    stack.call('POST', `/v1/exchanges/perpx/${path}`, { key: account.apiKey, body });
  const order = (): Promise<Answer> =>
    post('exchange', { action: orderAction(0, { px: '100000', sz: '0.001', tif: 'Ioc' }), nonce: Date.now() });
  const fields = () => {
    const { address } = account;
    const startTime = Date.now() - CANDLES * FIVE_MINUTES_MS;
    const named = {
      coin: 'BTC',
      oid: 5,
      tid: 5,
      id: 20,
      startTime,
      interval: '5m',
      builder: address,
      source: address,
      user: address,
    };
    return { ...named, req: { coin: 'ETH', interval: '5m', startTime } };
  };

  it('market data and the account’s state are answered; its past and orders are refused with 503 and when to come back', async () => {
    const all = await Promise.all(infoTypes().map((type) => post('info', { type, ...fields() })));
    expect(all.map(({ status }) => status)).to.deep.equal(all.map(() => 200));
    await stack.redis.config('SET', 'maxmemory', '1');
    try {
      const refused: string[] = [];
      for (const type of infoTypes()) {
        const { status, body, headers } = await post('info', { type, ...fields(), req: { ...fields().req, coin: 'SOL' } });
        if (type === 'candles' || type === 'candleSnapshot') expect(body).to.have.length.within(CANDLES, CANDLES + 1);
        if (status === 200) continue;
        expect([status, body.code], type).to.deep.equal([503, 'store_unavailable']);
        expect(Number(headers.get('retry-after')), type).to.be.above(0);
        refused.push(type);
      }
      expect(PAST).to.include.members(refused);
      const { status, body } = await order();
      expect([status, body.code]).to.deep.equal([503, 'store_unavailable']);
    } finally {
      await stack.redis.config('SET', 'maxmemory', '0');
    }
    expect((await order()).body.response.data.statuses[0]).to.have.property('filled');
  });
});
