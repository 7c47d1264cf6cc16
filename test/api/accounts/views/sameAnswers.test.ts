import { expect } from 'chai';
import fc from 'fast-check';
import type { AccountQuery } from '../../../../src/actors/core/messages/command.ts';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import { AccountViews } from '../../../../src/api/accounts/views/accountViews.ts';
import { JsonText } from '../../../../src/api/domain/wireText.ts';
import { answerInfo } from '../../../../src/api/info/answerInfo.ts';
import { tradingRules } from '../../../../src/features/rules.ts';
import { RequestError } from '../../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../../support/exchangeInMemory.ts';
import { newestFormats } from '../../../support/formats.ts';
import { wireOrder } from '../../../support/orderWire.ts';

const COINS = ['BTC', 'ETH', 'SOL', 'ARB'] as const;
const CLOID = `0x${'c'.repeat(32)}`;

/** A step of a client or of the market, with numbers of its own. */
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

/** The fate of the messages that carry entries to the node. */
const deliveries = {
  'the node follows the account': fc.constant(1),
  'entries get lost or come twice': fc.constantFrom(0, 1, 1, 1, 2),
};

describe('views: every question has the same answer from a view as from the account’s owner', () => {
  for (const [name, delivery] of Object.entries(deliveries)) {
    it(`at any state, market and time, asked again and again; ${name}`, async () => {
      const sum = { hits: 0, followedHits: 0, folded: 0 };
      const lives = fc.array(fc.tuple(steps, delivery), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(lives, async (life) => {
          const figures = await live(life);
          for (const key of ['hits', 'followedHits', 'folded'] as const) sum[key] += figures[key];
        }),
        { numRuns: 15 },
      );
      expect(sum.hits).to.be.greaterThan(1000);
      expect(sum.followedHits).to.be.greaterThan(500);
      expect(sum.folded).to.be.greaterThan(20);
    });
  }
});

describe('views: an entry that Redis has sent before the version', () => {
  it('may be read a moment later: the question waits for that, and no longer', async () => {
    const exchange = new ExchangeInMemory();
    move(exchange, 'BTC', 1);
    const { gateway, log } = exchange.services;
    let onRead: () => unknown = () => undefined;
    const views: AccountViews = new AccountViews({
      ...{ rules: tradingRules, gateway, log, market: exchange.market, formats: newestFormats, now: () => exchange.nowMs },
      versions: {
        read: async () => {
          setImmediate(onRead);
          return exchange.version;
        },
      },
      config: { VIEWS_MAX_BYTES: 1e8 },
    });
    const ask = () => views.ask(ADDRESS, { kind: 'openOrders' }, { requestId: '' });
    for (let n = 0; n < 5; n++) await ask();
    const { hits } = views.figures;
    const rest = order('BTC', { isBuy: true, by: 0.9, tif: 'Gtc' });
    await rest(exchange);
    const [entry] = exchange.entries.slice(-1) as [AccountEntry];
    onRead = () => views.onFollowed({ token: exchange.version.token, nextDueMs: null, entry: structuredClone(entry) });
    expect(await ask()).to.have.nested.property('answer.orders.length', 1);
    onRead = () => undefined;
    await rest(exchange);
    expect(await ask()).to.have.nested.property('answer.orders.length', 2);
    expect(views.figures).to.include({ hits: hits + 1, folded: 1 });
    expect(views.figures.misses.get('behind')).to.equal(1);
  });
});

/** Answers of the owner and of a node beside each other. @param life what happens, and how often the node hears of each entry of it */
async function live(life: readonly (readonly [Step, number])[]): Promise<AccountViews['figures']> {
  const exchange = new ExchangeInMemory();
  for (const name of COINS) move(exchange, name, 1);
  const { gateway, log } = exchange.services;
  const views = new AccountViews({
    ...{ rules: tradingRules, gateway, log, market: exchange.market, formats: newestFormats, now: () => exchange.nowMs },
    versions: { read: async () => exchange.version },
    config: { VIEWS_MAX_BYTES: 1e8 },
  });
  let told = exchange.entries.length;
  /** Answering makes entries, too: the entries of work that is due. */
  const tell = (times: number): void => {
    for (const entry of exchange.entries.slice(told)) {
      const followed = { token: exchange.version.token, nextDueMs: exchange.nextDueMs, entry: structuredClone(entry) };
      for (let n = 0; n < times; n++) views.onFollowed(structuredClone(followed));
    }
    told = exchange.entries.length;
  };
  for (const [step, times] of life) {
    await step(exchange);
    tell(times);
    for (const query of questions(exchange)) {
      const plain = await gateway.ask(ADDRESS, query, { requestId: '' });
      tell(times);
      expect(await views.ask(ADDRESS, query, { requestId: '' })).to.deep.equal(plain);
    }
    for (const body of bodies(exchange)) {
      const plain = await answered(exchange, body, exchange.services);
      expect(
        await answered(exchange, body, { ...exchange.services, gateway: { ...gateway, ask: views.ask.bind(views) } }),
      ).to.deep.equal(plain);
    }
  }
  return views.figures;
}

function questions(exchange: ExchangeInMemory): AccountQuery[] {
  const open = exchange.rows.flatMap((row) => (row.kind === 'orders' ? [row.row.order.oid] : []));
  const targets = [{ cloid: CLOID }, ...open.slice(-2).map((oid) => ({ oid }))];
  return [
    ...(['accountState', 'openOrders', 'runningTwaps', 'summary', 'overview'] as const).map((kind) => ({ kind })),
    { kind: 'owedFunding' as const },
    ...COINS.flatMap((name) => (['assetData', 'ownBook'] as const).map((kind) => ({ kind, asset: exchange.assetId(name) }))),
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
