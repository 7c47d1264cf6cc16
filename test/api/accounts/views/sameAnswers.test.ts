import { expect } from 'chai';
import fc from 'fast-check';
import type { AccountCommand, AccountQuery } from '../../../../src/actors/domain/messages/command.ts';
import { AccountViews } from '../../../../src/api/accounts/views/accountViews.ts';
import { JsonText } from '../../../../src/api/domain/jsonText.ts';
import { answerInfo } from '../../../../src/api/info/answerInfo.ts';
import { RequestError } from '../../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { newestFormats } from '../../../support/formats.ts';
import { wireOrder } from '../../../support/orderWire.ts';

const COINS = ['BTC', 'ETH', 'SOL', 'ARB'] as const;
const CLOID = `0x${'c'.repeat(32)}`;

/** What a client or the market does, with numbers of their own. */
type Step = (exchange: ExchangeInMemory) => unknown;

const coin = fc.constantFrom(...COINS);
const share = fc.double({ min: 0.9, max: 1.1, noNaN: true });

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(coin, fc.boolean(), share, fc.constantFrom('Gtc' as const, 'Ioc' as const, 'Alo' as const))
      .map(([name, isBuy, by, tif]) => order(name, { isBuy, by, tif })),
  },
  { weight: 1, arbitrary: fc.tuple(coin, fc.boolean(), share).map(([name, isBuy, by]) => trigger(name, { isBuy, by })) },
  {
    weight: 3,
    arbitrary: fc.tuple(coin, share).map(
      ([name, by]): Step =>
        (exchange) =>
          move(exchange, name, by),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 20_000 }).map(
      (ms): Step =>
        (exchange) => {
          exchange.nowMs += ms;
        },
    ),
  },
  {
    weight: 1,
    arbitrary: coin.map(
      (name): Step =>
        (exchange) =>
          exchange.exchange({ type: 'updateLeverage', asset: exchange.assetId(name), isCross: name !== 'SOL', leverage: 3 }),
    ),
  },
  {
    weight: 1,
    arbitrary: coin.map(
      (name): Step =>
        (exchange) =>
          exchange.exchange({
            type: 'twapOrder',
            twap: { a: exchange.assetId(name), b: true, s: '1', r: false, m: 5, t: false },
          }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((exchange) => exchange.exchange({ type: 'scheduleCancel', time: exchange.nowMs + 6000 })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>((exchange) =>
      exchange.exchange({ type: 'cancelByCloid', cancels: [{ asset: 0, cloid: CLOID }] }),
    ),
  },
);

describe('views: every question has the same answer from a view as from the account’s owner', () => {
  it('at any state, market and time, asked again and again', async () => {
    let hits = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 12 }), async (life) => {
        const exchange = new ExchangeInMemory();
        for (const name of COINS) move(exchange, name, 1);
        const { gateway } = exchange.services;
        const views = new AccountViews({
          gateway,
          versions: { read: async () => exchange.version },
          market: exchange.market,
          formats: newestFormats,
          config: { VIEWS_MAX_BYTES: 1e8 },
          now: () => exchange.nowMs,
        });
        for (const step of life) {
          await step(exchange);
          for (const query of questions(exchange)) {
            const command: AccountCommand = { type: 'query', query };
            expect(await views.send(ADDRESS, command, { requestId: '' })).to.deep.equal(
              await gateway.send(ADDRESS, command, { requestId: '' }),
            );
          }
          for (const body of bodies(exchange)) {
            const plain = await answered(exchange, body, exchange.services);
            expect(await answered(exchange, body, { ...exchange.services, gateway: views })).to.deep.equal(plain);
          }
        }
        hits += views.figures.hits;
      }),
      { numRuns: 25 },
    );
    expect(hits).to.be.greaterThan(1000);
  });
});

function questions(exchange: ExchangeInMemory): AccountQuery[] {
  const open = exchange.rows.flatMap((row) => (row.kind === 'orders' ? [row.row.order.oid] : []));
  const targets = [{ cloid: CLOID }, ...open.slice(-2).map((oid) => ({ oid }))];
  return [
    ...(['accountState', 'openOrders', 'runningTwaps', 'summary', 'overview'] as const).map((kind) => ({ kind })),
    ...COINS.map((name) => ({ kind: 'assetData' as const, asset: exchange.assetId(name) })),
    ...targets.flatMap((target) => [
      { kind: 'orderStatus' as const, target },
      { kind: 'whyOpen' as const, target },
    ]),
    { kind: 'accountState' },
  ];
}

const bodies = (exchange: ExchangeInMemory): object[] => [
  ...[
    'clearinghouseState',
    'openOrders',
    'frontendOpenOrders',
    'userRateLimit',
    'userFees',
    'referral',
    'portfolio',
    'clearinghouseState',
  ].map((type) => ({ type })),
  { type: 'activeAssetData', coin: 'ETH', user: ADDRESS },
  { type: 'orderStatus', oid: exchange.rows.length },
];

async function answered(exchange: ExchangeInMemory, body: object, services: ExchangeInMemory['services']): Promise<unknown> {
  try {
    const answer = await answerInfo(body, exchange.call, services);
    return answer instanceof JsonText ? JSON.parse(answer.text) : JSON.parse(JSON.stringify(answer));
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { status: error.status, code: error.code, text: error.message };
  }
}

const marks: Record<string, number> = { BTC: 65_000, ETH: 3000, SOL: 150, ARB: 1 };

function move(exchange: ExchangeInMemory, name: string, by: number): void {
  const mark = (marks[name] as number) * by;
  const text = (price: number): string => String(Number(price.toPrecision(5)));
  exchange.setMarket(name, { mark: text(mark), bids: [[text(mark * 0.999), '1000']], asks: [[text(mark * 1.001), '1000']] });
}

const order =
  (name: string, { isBuy, by, tif }: { isBuy: boolean; by: number; tif: 'Gtc' | 'Ioc' | 'Alo' }): Step =>
  (exchange) => {
    const px = String(Number(((marks[name] as number) * by).toPrecision(4)));
    const sz = String(Number((300 / (marks[name] as number)).toPrecision(2)));
    return exchange.exchange({
      type: 'order',
      orders: [wireOrder(exchange.assetId(name), { px, sz, tif, buy: isBuy })],
      grouping: 'na',
    });
  };

const trigger =
  (name: string, { isBuy, by }: { isBuy: boolean; by: number }): Step =>
  (exchange) => {
    const px = String(Number(((marks[name] as number) * by).toPrecision(4)));
    const order = {
      a: exchange.assetId(name),
      b: isBuy,
      p: px,
      s: '1',
      r: false,
      t: { trigger: { isMarket: true, triggerPx: px, tpsl: 'sl' } },
      c: CLOID,
    };
    return exchange.exchange({ type: 'order', orders: [order], grouping: 'na' });
  };
