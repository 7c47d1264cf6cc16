import { expect } from 'chai';
import fc from 'fast-check';
import { RequestError } from '../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { wireOrder } from '../../support/orderWire.ts';

const COINS = ['BTC', 'ETH', 'SOL', 'ARB'] as const;
const MARKS = { BTC: 65_000, ETH: 3000, SOL: 150, ARB: 1 } as const;
type Coin = (typeof COINS)[number];
type Make = (exchange: ExchangeInMemory) => object;
/** A move of the market or of the clock, or an action that is run dry before it is run. */
type Step = { readonly move: (exchange: ExchangeInMemory) => unknown } | { readonly action: Make };

const price = (value: number): string => String(Number(value.toPrecision(4)));

function move(exchange: ExchangeInMemory, coin: Coin, by: number): void {
  const mark = MARKS[coin] * by;
  const side = (sign: number) => [1, 2, 3].map((i) => [price(mark * (1 + sign * i * 0.002)), price(400 / MARKS[coin])] as const);
  exchange.setMarket(coin, { mark: price(mark), bids: side(-1), asks: side(1) });
}

const coin = fc.constantFrom(...COINS);
const share = fc.double({ min: 0.9, max: 1.1, noNaN: true });
const usd = fc.constantFrom(5, 100, 700, 5000, 60_000);

const anOrder = fc
  .record({
    coin,
    buy: fc.boolean(),
    share,
    usd,
    reduceOnly: fc.boolean(),
    tif: fc.constantFrom('Gtc', 'Ioc', 'Alo', 'FrontendMarket'),
  })
  .map((one) => (exchange: ExchangeInMemory) => ({
    ...wireOrder(exchange.assetId(one.coin), { px: price(MARKS[one.coin] * one.share), sz: price(one.usd / MARKS[one.coin]) }),
    ...{ b: one.buy, r: one.reduceOnly, t: { limit: { tif: one.tif } } },
  }));

const bracket = fc.record({ coin, buy: fc.boolean(), share, usd, far: fc.constantFrom(0.01, 0.05) }).map(
  (one): Make =>
    (exchange) => {
      const sign = one.buy ? 1 : -1;
      const entry = MARKS[one.coin] * one.share;
      const child = (tpsl: 'tp' | 'sl') => {
        const px = price(entry * (1 + sign * (tpsl === 'tp' ? one.far : -one.far)));
        return { b: !one.buy, p: px, r: true, t: { trigger: { isMarket: true, triggerPx: px, tpsl } } };
      };
      const parent = {
        ...wireOrder(exchange.assetId(one.coin), { px: price(entry), sz: price(one.usd / MARKS[one.coin]) }),
        b: one.buy,
      };
      return {
        type: 'order',
        grouping: 'normalTpsl',
        orders: [parent, { ...parent, ...child('tp') }, { ...parent, ...child('sl') }],
      };
    },
);

const openOids = (exchange: ExchangeInMemory): number[] =>
  exchange.rows.flatMap((row) => (row.kind === 'orders' && row.row.status === 'open' ? [row.row.order.oid] : []));

const actions: fc.Arbitrary<Make> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(anOrder, { minLength: 1, maxLength: 4 }).map(
      (made): Make =>
        (exchange) => ({ type: 'order', grouping: 'na', orders: made.map((make) => make(exchange)) }),
    ),
  },
  { weight: 2, arbitrary: bracket },
  {
    weight: 1,
    arbitrary: anOrder.map(
      (make): Make =>
        (exchange) => ({ type: 'modify', oid: openOids(exchange).at(-1) ?? 1, order: make(exchange), a: true }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(anOrder, { minLength: 1, maxLength: 3 }).map(
      (made): Make =>
        (exchange) => ({
          type: 'batchModify',
          modifies: made.map((make, i) => ({ oid: openOids(exchange).at(-1 - i) ?? i, order: make(exchange) })),
        }),
    ),
  },
  {
    weight: 1,
    arbitrary: coin.map(
      (name): Make =>
        (exchange) => ({
          type: 'cancel',
          cancels: openOids(exchange)
            .slice(-3)
            .concat(1)
            .map((o) => ({ a: exchange.assetId(name), o })),
        }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(coin, fc.boolean(), fc.constantFrom(0, 1, 3, 40)).map(
      ([name, isCross, leverage]): Make =>
        (exchange) => ({ type: 'updateLeverage', asset: exchange.assetId(name), isCross, leverage }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(coin, fc.integer({ min: -500_000_000, max: 500_000_000 })).map(
      ([name, ntli]): Make =>
        (exchange) => ({ type: 'updateIsolatedMargin', asset: exchange.assetId(name), isBuy: true, ntli }),
    ),
  },
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: actions.map((action): Step => ({ action })) },
  { weight: 1, arbitrary: fc.tuple(coin, share).map(([name, by]): Step => ({ move: (exchange) => move(exchange, name, by) })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(1, 20_000).map(
      (ms): Step => ({
        move: (exchange) => {
          exchange.nowMs += ms;
        },
      }),
    ),
  },
);

describe('dryRun: an action, and the same action run dry before it', () => {
  it('have the same answer, fills, fees and figures; and running dry changes nothing', async () => {
    const told = { filled: 0, resting: 0, ended: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 25 }), async (life) => {
        const exchange = new ExchangeInMemory();
        for (const name of COINS) move(exchange, name, 1);
        for (const step of life) {
          if ('move' in step) step.move(exchange);
          else await compare(exchange, step.action(exchange), told);
        }
      }),
      { numRuns: 80 },
    );
    for (const [what, times] of Object.entries(told)) expect(times, what).to.be.greaterThan(0);
  });

  async function compare(exchange: ExchangeInMemory, action: object, told: Record<string, number>): Promise<void> {
    await exchange.info({ type: 'clearinghouseState' });
    const before = [exchange.entries.length, await hash(exchange)];
    const { answer, effect } = (await exchange.exchange(action, { dryRun: true })).response.data;
    expect([exchange.entries.length, await hash(exchange)]).to.deep.equal(before);
    const stateBefore = await figures(exchange);
    const rows = exchange.rows.length;
    expect(await exchange.exchange(action)).to.deep.equal(answer);
    expect(effect.before).to.deep.include(stateBefore);
    expect(effect.after).to.deep.include(await figures(exchange));

    const news = exchange.rows.slice(rows);
    const fills = news.flatMap((row) => (row.kind === 'fills' ? [row.row] : []));
    const taken = effect.executions.flatMap(({ oid, levels }: Execution) =>
      levels.map(({ px, sz }) => ({ oid, px: +px, sz: +sz })),
    );
    expect(taken).to.have.deep.members(fills.map(({ oid, price: px, size }) => ({ oid, px: +px, sz: +size })));
    const fees = effect.executions.reduce((sum: number, { fee }: Execution) => sum + Number(fee), 0);
    expect(fees).to.be.closeTo(
      fills.reduce((sum, { fee }) => sum + Number(fee), 0),
      1e-5,
    );
    const open = await exchange.info({ type: 'openOrders' });
    const sizes = new Map(open.map(({ oid, sz }: { oid: number; sz: string }) => [oid, sz]));
    for (const { oid, sz } of effect.resting) expect(sizes.get(oid)).to.equal(sz);
    for (const { oid } of effect.ends) expect(open.map((one: { oid: number }) => one.oid)).to.not.include(oid);
    const { assetPositions } = await exchange.info({ type: 'clearinghouseState' });
    for (const { coin: name, after } of effect.coins) {
      const real =
        assetPositions.find(({ position }: { position: { coin: string } }) => position.coin === name)?.position ?? null;
      expect(after).to.deep.equal(real);
    }
    if (fills.length > 0) told['filled'] = (told['filled'] ?? 0) + 1;
    if (effect.resting.length > 0) told['resting'] = (told['resting'] ?? 0) + 1;
    if (effect.ends.length > 0) told['ended'] = (told['ended'] ?? 0) + 1;
    if (answer.status === 'err') told['refused'] = (told['refused'] ?? 0) + 1;
  }
});

interface Execution {
  readonly oid: number;
  readonly fee: string;
  readonly levels: readonly { readonly px: string; readonly sz: string }[];
}

async function hash({ services }: ExchangeInMemory): Promise<unknown> {
  const question = { type: 'query', query: { kind: 'openOrders' }, stateHash: true } as const;
  return services.gateway.send(ADDRESS, question, { requestId: '' });
}

async function figures(exchange: ExchangeInMemory) {
  const { marginSummary, crossMaintenanceMarginUsed, withdrawable } = await exchange.info({ type: 'clearinghouseState' });
  return { ...marginSummary, crossMaintenanceMarginUsed, withdrawable };
}

describe('dryRun: what it tells', () => {
  const asks = [
    ['100', '5'],
    ['100.5', '8'],
    ['101', '40'],
  ] as const;
  const open = (): ExchangeInMemory => {
    const exchange = new ExchangeInMemory();
    exchange.setMarket('SOL', { mark: '99.9', bids: [['99.8', '5']], asks });
    return exchange;
  };
  const sol = (exchange: ExchangeInMemory, ...orders: readonly Parameters<typeof wireOrder>[1][]) => ({
    type: 'order',
    grouping: 'na',
    orders: orders.map((one) => wireOrder(exchange.assetId('SOL'), one)),
  });
  const dry = async (exchange: ExchangeInMemory, action: object) =>
    (await exchange.exchange(action, { dryRun: true })).response.data;

  it('the walk of the book, level by level, with what was taken before', async () => {
    const exchange = open();
    await exchange.exchange(sol(exchange, { px: '100', sz: '2', tif: 'Ioc' }));
    const { answer, effect } = await dry(exchange, sol(exchange, { px: '101', sz: '12', tif: 'Ioc' }));
    const [{ oid, ...told }] = effect.executions;
    expect(answer.response.data.statuses).to.deep.equal([{ filled: { totalSz: '12.0', avgPx: '100.4166', oid } }]);
    // 3 @ 100, 8 @ 100.5, 1 @ 101 are 1,205 USD; the middle of 99.8 and 100 is 99.9, and 12 of it are 1,198.8.
    expect(told).to.deep.equal({
      ...{
        coin: 'SOL',
        side: 'B',
        sz: '12.0',
        avgPx: '100.4166',
        ntl: '1205.0',
        fee: '0.54225',
        closedPnl: '0.0',
        slippageBps: '51.72',
      },
      levels: [
        { px: '100.0', displayedSz: '5.0', consumedSz: '2.0', sz: '3.0' },
        { px: '100.5', displayedSz: '8.0', consumedSz: '0.0', sz: '8.0' },
        { px: '101.0', displayedSz: '40.0', consumedSz: '0.0', sz: '1.0' },
      ],
    });
    const [coin] = effect.coins;
    expect(coin).to.deep.include({
      coin: 'SOL',
      midPx: '99.9',
      markPx: '99.9',
      stale: null,
      leverage: { type: 'cross', value: 20 },
    });
    expect([coin.before.szi, coin.after.szi]).to.deep.equal(['2.0', '14.0']);
  });

  it('what comes to rest, with its place in the queue and the fee as a maker', async () => {
    const exchange = open();
    const { effect } = await dry(exchange, sol(exchange, { px: '99.8', sz: '10' }));
    expect(effect.resting[0]).to.deep.include({
      coin: 'SOL',
      limitPx: '99.8',
      sz: '10.0',
      queueAhead: '5.0',
      makerFee: '0.1497',
    });
    expect(Number(effect.before.freeMargin) - Number(effect.after.freeMargin)).to.be.closeTo(49.9, 1e-6);
  });

  it('a refusal in the words of the real one, of one order and of all', async () => {
    const exchange = open();
    const far = await dry(exchange, sol(exchange, { px: '100', sz: '100000' }));
    expect(far.answer.response.data.statuses[0].error).to.match(/^Insufficient margin/);
    expect(far.effect.after).to.deep.equal(far.effect.before);
    const empty = await dry(exchange, { type: 'order', orders: [], grouping: 'na' });
    expect(empty).to.deep.equal({ answer: { status: 'err', response: 'Orders are empty' }, effect: null });
    const unknown = await dry(exchange, { type: 'order', orders: [wireOrder(9999, { px: '1', sz: '1' })], grouping: 'na' });
    expect(unknown.answer.response.data.statuses[0].error).to.include('9999');
    expect(unknown.effect.coins).to.deep.equal([]);
  });

  it('that a leverage would move the liquidation price', async () => {
    const exchange = open();
    await exchange.exchange(sol(exchange, { px: '100', sz: '5', tif: 'Ioc' }));
    const action = { type: 'updateLeverage', asset: exchange.assetId('SOL'), isCross: true, leverage: 3 };
    const { answer, effect } = await dry(exchange, action);
    expect(answer).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    expect(effect.coins[0].leverage).to.deep.equal({ type: 'cross', value: 3 });
    expect(Number(effect.after.totalMarginUsed)).to.be.greaterThan(Number(effect.before.totalMarginUsed));
  });

  it('nothing of actions that have no dry run, and of those that are refused in any case', async () => {
    const exchange = open();
    const sent = exchange.commands.length;
    const { status, response } = await exchange.exchange({ type: 'scheduleCancel', time: 1 }, { dryRun: true });
    expect([status, response]).to.deep.equal([
      'err',
      'Action scheduleCancel has no dry run. These have one: order, modify, batchModify, cancel, cancelByCloid, ' +
        'updateLeverage, updateIsolatedMargin, topUpIsolatedOnlyMargin.',
    ]);
    const withdrawal = { type: 'withdraw3' };
    expect(await exchange.exchange(withdrawal, { dryRun: true })).to.deep.equal(await exchange.exchange(withdrawal));
    expect(exchange.commands.length).to.equal(sent);
  });

  it('takes no address limit, and is refused where the action would be', async () => {
    const exchange = open();
    exchange.config = { ...exchange.config, ADDRESS_LIMIT: 'yes' };
    const used = async () => (await exchange.info({ type: 'userRateLimit' })).nRequestsUsed;
    const before = await used();
    await dry(exchange, sol(exchange, { px: '99', sz: '1' }));
    expect(await used()).to.equal(before);
    const late = await exchange.exchange(sol(exchange, { px: '99', sz: '1' }), {
      dryRun: true,
      expiresAfter: exchange.nowMs - 1,
    });
    expect(late.response.data.answer.status).to.equal('err');
    expect(await used()).to.equal(before);
  });
});

describe('dryRun: whatever is sent', () => {
  const refused = async (exchange: ExchangeInMemory, action: unknown, envelope: object): Promise<string> => {
    const error = await exchange.exchange(action, envelope).catch((cause: unknown) => cause);
    if (!(error instanceof RequestError)) throw new Error(`answered: ${JSON.stringify(error)}`);
    expect(error.status).to.equal(400);
    return error.message;
  };
  const action = { type: 'order', grouping: 'na', orders: [wireOrder(0, { px: '50000', sz: '0.001' })] };

  it('a dryRun that is no boolean, or stands within the action, refuses all of it', async () => {
    const exchange = new ExchangeInMemory();
    const odd = fc.jsonValue({ maxDepth: 2 }).filter((value) => typeof value !== 'boolean' && value !== null);
    await fc.assert(
      fc.asyncProperty(fc.oneof(odd, fc.constantFrom<unknown>('true', 1, 0, '', 1e308, [], {})), async (dryRun) => {
        expect(await refused(exchange, action, { dryRun })).to.include('dryRun must be a boolean');
      }),
      { numRuns: 50 },
    );
    expect(await refused(exchange, { ...action, dryRun: true }, {})).to.include('action.dryRun must stand beside action');
    expect(await refused(exchange, { type: 'nope' }, { dryRun: true })).to.include('unknown action type "nope"');
    expect(exchange.entries.length).to.equal(1);
  });

  it('a batch of any orders leaves the account as it is', async () => {
    const exchange = new ExchangeInMemory();
    for (const name of COINS) move(exchange, name, 1);
    const before = await hash(exchange);
    const text = fc.oneof(
      fc.constantFrom('0', '0.00000001', '99999999999999999999', '50000', '1'),
      fc.float().map(String),
      fc.string(),
    );
    const order = fc.record({
      a: fc.oneof(fc.nat(300), fc.constant(2 ** 53)),
      b: fc.boolean(),
      p: text,
      s: text,
      r: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { maxLength: 5 }), async (orders) => {
        const body = { ...action, orders: orders.map((one) => ({ ...one, t: { limit: { tif: 'Ioc' } } })) };
        const answered = await exchange.exchange(body, { dryRun: true }).catch((cause: unknown) => cause);
        if (answered instanceof RequestError) expect(answered.status).to.equal(400);
        else expect(answered.response.type).to.equal('dryRun');
      }),
      { numRuns: 100 },
    );
    expect(await hash(exchange)).to.deep.equal(before);
  });
});
