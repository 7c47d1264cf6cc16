// A dashboard on real actors. It reads its own writes at once, its figures follow from the rows that clients see, and rows that
// MongoDB does not have yet stand beside stored rows.

import { expect } from 'chai';
import { Decimal } from 'decimal.js';
import { submitShardCommand } from '../../src/jobs/shardMailbox.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import { until } from '../support/until.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

describe('dashboard through the API', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
    trader = await exchange.trader();
    await exchange.book('SOL', { bids: [['99', '50']], asks: [['101', '50']], mark: '100' });
  });
  afterEach(() => trader.expectConsistent());

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  async function read(path: string, who = trader): Promise<any> {
    const headers = { 'x-api-key': who.account.apiKey };
    const response = await fetch(`${exchange.stack.baseUrl}/v1/exchanges/perpx/account/${path}`, { headers });
    const text = await response.text();
    expect(response.status, text).to.equal(200);
    return path.startsWith('export')
      ? text
          .split('\n')
          .slice(1, -2)
          .map((line) => JSON.parse(line))
      : JSON.parse(text);
  }

  it('a fill is in every list and figure as soon as it is acknowledged', async () => {
    await trader.place({ coin: 'SOL', px: '101', sz: '2', tif: 'Ioc' });
    const resting = await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    await exchange.mark('SOL', '110');
    await trader.place({ coin: 'SOL', buy: false, px: '99', sz: '1', tif: 'Ioc' });

    const { items: fills } = await read('fills');
    // Fees: 202 and 99 at 0.045 %.
    const shown = fills.map((fill: Record<string, string>) => [
      fill['direction'],
      fill['price'],
      fill['fee'],
      fill['closed_pnl'],
    ]);
    expect(shown).to.deep.equal([
      ['Close Long', '99.0', '0.04455', '-2.0'],
      ['Open Long', '101.0', '0.0909', '0.0'],
    ]);
    const { items: orders } = await read('orders');
    expect(orders.map(({ status, average_price: average }: Record<string, unknown>) => [status, average])).to.deep.equal([
      ['filled', '99.0'],
      ['open', null],
      ['filled', '101.0'],
    ]);
    expect((await read('orders/open')).items.map(({ oid }: { oid: number }) => oid)).to.deep.equal([resting]);

    const overview = await read('overview');
    expect(overview).to.deep.include({ realized_pnl: '-2.0', fees_paid: '0.13545', unrealized_pnl: '9.0', open_orders: 1 });
    expect(overview).to.deep.include({ balance: '9997.86455', account_value: '10006.86455' });
    expect((await read('positions')).items).to.deep.equal(overview.positions);
    expect(await read('analytics')).to.deep.include({
      ...{
        net_pnl: '-2.13545',
        gross_pnl: '-2.0',
        fees: '0.13545',
        funding: '0.0',
        volume: '301.0',
        trades: 0,
        fill_trades: 1,
        fill_win_rate: '0.0',
      },
      // 1 beyond the mid of 100 for each of three coins.
      ...{ slippage: '3.0', slippage_bps: '100.0', maker_share: '0.0' },
    });
    const { points } = await read('equity-curve');
    expect(points.map(({ equity, balance }: Record<string, string>) => [equity, balance])).to.deep.equal([
      ['10000.0', '10000.0'],
      ['9997.9091', '9999.9091'],
      ['10006.86455', '9997.86455'],
      ['10006.86455', '9997.86455'],
    ]);
  });

  it('pages of fills and orders stay where they were while more of them come', async () => {
    const buyer = await exchange.trader();
    const fill = async (): Promise<void> => void (await buyer.place({ coin: 'SOL', px: '101', sz: '0.5', tif: 'Ioc' }));
    for (let n = 0; n < 12; n++) await fill();
    const before: { tid: number; oid: number }[] = (await read('fills?limit=500', buyer)).items;
    expect(before).to.have.length(12);
    for (const [list, id] of [
      ['fills', 'tid'],
      ['orders', 'oid'],
    ] as const) {
      const expected = (await read(`${list}?limit=500`, buyer)).items.map((item: Record<string, number>) => item[id]);
      const seen: (number | undefined)[] = [];
      for (let cursor = ''; ; ) {
        const page = await read(`${list}?limit=5${cursor}`, buyer);
        seen.push(...page.items.map((item: Record<string, number>) => item[id]));
        if (page.next_cursor === null) break;
        cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
        await fill();
        await fill();
      }
      expect(seen, list).to.deep.equal(expected);
    }
  });

  describe('figures agree with userFills, userTwapSliceFills and userFunding to the last micro-USD', () => {
    let owner: Trader;
    let rows: { fills: WireFill[]; slices: WireFill[]; payments: WirePayment[] };

    before(async () => {
      owner = await exchange.trader();
      await exchange.book('LINK', {
        bids: [
          ['99.7', '3.3'],
          ['99.1', '80'],
        ],
        asks: [
          ['100.3', '2.7'],
          ['101.9', '80'],
        ],
        mark: '100',
      });
      await exchange.book('UNI', { bids: [['9.97', '900']], asks: [['10.03', '900']], mark: '10' });
      // Opened over two levels, flipped, made smaller as a maker, and closed: gains and losses.
      await owner.place({ coin: 'LINK', px: '102', sz: '7.7', tif: 'Ioc' });
      await owner.place({ coin: 'LINK', buy: false, px: '99', sz: '11.3', tif: 'Ioc' });
      await owner.rest({ coin: 'LINK', px: '98.7', sz: '1.9' });
      await exchange.trades('LINK', ['A', '98.6', '1.1'], ['A', '98.5', '5']);
      await owner.place({ coin: 'LINK', px: '102', sz: '1.7', tif: 'Ioc', reduceOnly: true });
      // Isolated, and taken over: no bid is as high as the bankruptcy price.
      expect(await owner.leverage('UNI', 5, 'isolated')).to.equal('ok');
      await owner.place({ coin: 'UNI', px: '10.1', sz: '133.7', tif: 'Ioc' });
      await exchange.book('UNI', {
        bids: [
          ['7.9', '50'],
          ['7.8', '400'],
        ],
        asks: [['8.3', '400']],
        mark: '8.2',
      });
      await until(async () => (await owner.position('UNI')) === undefined);
      // Two slices, for a TWAP begins with one at once.
      const twap = { a: exchange.asset('LINK'), b: true, s: '24.2', r: false, m: 5, t: false };
      for (const _ of ['one', 'two']) await owner.act({ type: 'twapOrder', twap });
      await until(async () => (await owner.info('userTwapSliceFills')).length >= 2);
      const { twapStates } = await owner.info('webData2');
      for (const [t] of twapStates) await owner.act({ type: 'twapCancel', a: exchange.asset('LINK'), t });
      // Last, for it takes the account's time along: two hours at one rate, one at another.
      const hours = [1, 2, 3].map((ahead) => ({
        hourMs: hourOf(Date.now()) + ahead * HOUR_MS,
        coins: { LINK: [ahead === 3 ? '-0.0000337' : '0.0000125', '100.07'] } as const,
      }));
      const throughMs = hours[2]?.hourMs ?? 0;
      const command = { type: 'settleFunding', throughMs, hours } as const;
      const shard = shardOf(owner.account.address, 16);
      await submitShardCommand(exchange.stack.redis, {
        shard,
        job: 'funding',
        periodMs: throughMs,
        command,
        format: NEWEST_FORMAT,
      });
      await until(async () => (await owner.info('userFunding', { startTime: 0, endTime: throughMs })).length > 0);
      const exact = new Map((await read('export?kind=fills', owner)).map((row: ExactRow) => [Number(row.tid), row.exact_pnl]));
      const withExact = (fill: WireFill): WireFill => ({ ...fill, exactPnl: String(exact.get(fill.tid)) });
      const slices: { fill: WireFill }[] = await owner.info('userTwapSliceFills');
      rows = {
        fills: (await owner.info('userFills')).map(withExact),
        slices: slices.map(({ fill }) => withExact(fill)),
        payments: await owner.info('userFunding', { startTime: 0, endTime: throughMs }),
      };
    });

    it('the rows are of every kind', () => {
      const words = rows.fills.map(({ dir }) => dir);
      expect(words).to.include.members(['Open Long', 'Long > Short', 'Close Short']);
      expect(
        words.some((word) => /Liquidat/.test(word)),
        words.join(),
      ).to.equal(true);
      expect(rows.fills.some(({ crossed }) => !crossed)).to.equal(true);
      expect(rows.slices.length).to.be.at.least(2);
      expect(rows.payments.length).to.be.at.least(1);
    });

    it('fills: the union of both, newest first', async () => {
      const { items, next_cursor: next } = await read('fills?limit=500', owner);
      expect(next).to.equal(null);
      const wire = [...rows.fills, ...rows.slices].sort((a, b) => b.tid - a.tid);
      expect(
        items.map(({ tid, closed_pnl, fee, price, size }: Record<string, string>) => [tid, closed_pnl, fee, price, size]),
      ).to.deep.equal(wire.map(({ tid, closedPnl, fee, px, sz }) => [tid, closedPnl, fee, px, sz]));
    });

    it('round trips: those of the fills, each net of what it cost, and analytics sum them', async () => {
      const { items, next_cursor: next } = await read('round-trips?limit=500', owner);
      expect(next).to.equal(null);
      const wanted = tripsOf([...rows.fills, ...rows.slices].sort((a, b) => a.tid - b.tid));
      expect(wanted.length).to.be.above(2);
      expect(items.map(({ coin, tid, pnl, fees }: Record<string, unknown>) => [coin, tid, pnl, fees])).to.deep.equal(
        wanted.map(({ coin, tid, pnl, fees }) => [coin, tid, wireText(pnl), wireText(fees)]).toReversed(),
      );
      const nets: Decimal[] = items.map(({ net_pnl: net }: { net_pnl: string }) => new Decimal(net));
      const analytics = await read('analytics', owner);
      expect([analytics.trades, analytics.wins]).to.deep.equal([nets.length, nets.filter((net) => net.gt(0)).length]);
      const mean = nets.reduce((sum, net) => sum.plus(net), new Decimal(0)).div(nets.length);
      expect(Number(analytics.expectancy)).to.be.closeTo(mean.toNumber(), 1.1e-6);
      const net = (of: readonly Decimal[]): string => wireText(of.reduce((sum, one) => sum.plus(one), new Decimal(0)));
      const figures = await read('round-trips/figures', owner);
      expect(figures).to.deep.include({ net_pnl: net(nets), first_closed: items.at(-1).closed, last_closed: items[0].closed });
      for (const field of ['trades', 'wins', 'losses', 'win_rate', 'profit_factor', 'expectancy', 'average_hold'])
        for (const [told, wanted] of [
          [figures, analytics],
          [figures.long, analytics.long],
          [figures.short, analytics.short],
        ])
          expect(told[field], field).to.equal(wanted[field]);
      const [from, to] = [items[1].closed, items[0].closed];
      const some = items.filter(({ closed }: { closed: string }) => closed >= from && closed <= to);
      const range = await read(`round-trips/figures?start_time=${from}&end_time=${to}`, owner);
      expect(range).to.deep.include({
        trades: some.length,
        net_pnl: net(some.map(({ net_pnl: one }: { net_pnl: string }) => new Decimal(one))),
      });
      const early = items.filter(({ closed }: { closed: string }) => closed <= items.at(-1).closed);
      expect(early.length).to.be.below(items.length);
      expect(await read(`round-trips/figures?end_time=${items.at(-1).closed}`, owner)).to.include({ trades: early.length });
      const none = await read('round-trips/figures?end_time=1', owner);
      expect(none).to.deep.include({ trades: 0, first_closed: null, win_rate: null, net_pnl: '0.0' });
      const paged = await read('round-trips?limit=1&coin=LINK', owner);
      expect(paged.items).to.deep.equal(items.filter(({ coin }: { coin: string }) => coin === 'LINK').slice(0, 1));
    });

    it('analytics and overview: each sum, whole, by coin and by direction', async () => {
      const analytics = await read('analytics', owner);
      const { fills, slices, payments } = rows;
      const all = [...fills, ...slices];
      const expected = (of: (row: { coin: string; isLong: boolean }) => boolean) =>
        folded(
          all.filter((fill) => of({ coin: fill.coin, isLong: isOfLong(fill) })),
          payments.filter(({ delta }) => of({ coin: delta.coin, isLong: !delta.szi.startsWith('-') })),
        );
      expect(analytics).to.deep.include(expected(() => true));
      for (const figures of analytics.by_coin) expect(figures).to.deep.include(expected(({ coin }) => coin === figures.coin));
      expect(analytics.by_coin.map(({ coin }: { coin: string }) => coin)).to.deep.equal(['LINK', 'UNI']);
      expect(analytics.long).to.deep.include(expected(({ isLong }) => isLong));
      expect(analytics.short).to.deep.include(expected(({ isLong }) => !isLong));
      const overview = await read('overview', owner);
      expect([overview.realized_pnl, overview.fees_paid]).to.deep.equal([analytics.gross_pnl, analytics.fees]);
      expect(Number(overview.funding_paid)).to.equal(-Number(analytics.funding));
    });
  });
});

interface WireFill {
  readonly tid: number;
  readonly coin: string;
  readonly px: string;
  readonly sz: string;
  readonly side: 'A' | 'B';
  readonly dir: string;
  readonly startPosition: string;
  readonly closedPnl: string;
  readonly fee: string;
  readonly crossed: boolean;
  /** Of the export: `closedPnl` comes from a cut entry price. */
  readonly exactPnl: string;
}

interface ExactRow {
  readonly tid: string;
  readonly exact_pnl: string;
}

interface WirePayment {
  readonly delta: { readonly coin: string; readonly usdc: string; readonly szi: string };
}

const isOfLong = ({ startPosition, side }: WireFill): boolean =>
  Number(startPosition) === 0 ? side === 'B' : !startPosition.startsWith('-');

/** Round trips of fills in their order, by position before and after each; a flip's fee is split by size. */
function tripsOf(fills: readonly WireFill[]) {
  const open = new Map<string, { pnl: Decimal; fees: Decimal }>();
  const ended: { coin: string; tid: number; pnl: Decimal; fees: Decimal }[] = [];
  for (const { coin, tid, sz, side, startPosition, fee, exactPnl } of fills) {
    const before = new Decimal(startPosition);
    const after = before.plus(side === 'B' ? sz : `-${sz}`);
    const flips = before.times(after).lt(0);
    const closingFee = flips ? before.abs().div(sz).times(fee).toDecimalPlaces(6, Decimal.ROUND_DOWN) : new Decimal(fee);
    const trip = open.get(coin) ?? { pnl: new Decimal(0), fees: new Decimal(0) };
    const now = { pnl: trip.pnl.plus(exactPnl), fees: trip.fees.plus(closingFee) };
    if (!after.isZero() && !flips) open.set(coin, now);
    else {
      ended.push({ coin, tid, ...now });
      if (flips) open.set(coin, { pnl: new Decimal(0), fees: new Decimal(fee).minus(closingFee) });
      else open.delete(coin);
    }
  }
  return ended;
}

function wireText(value: Decimal): string {
  const rounded = value.toDecimalPlaces(6, Decimal.ROUND_HALF_UP).plus(0);
  return rounded.isInteger() ? rounded.toFixed(1) : rounded.toFixed();
}

/** The sums of the rows, in exact arithmetic of this test's own. */
function folded(fills: readonly WireFill[], payments: readonly WirePayment[]): Record<string, unknown> {
  const sum = (values: readonly (string | Decimal)[]): Decimal =>
    values.reduce<Decimal>((total, one) => total.plus(one), new Decimal(0));
  const trades = fills
    .filter(({ startPosition, side }) => (side === 'A' ? Number(startPosition) > 0 : Number(startPosition) < 0))
    .map(({ exactPnl }) => new Decimal(exactPnl));
  const [won, lost] = [trades.filter((pnl) => pnl.gt(0)), trades.filter((pnl) => pnl.lt(0))];
  const notional = ({ px, sz }: WireFill): Decimal => new Decimal(px).times(sz);
  const [gross, fees] = [sum(fills.map(({ exactPnl }) => exactPnl)), sum(fills.map(({ fee }) => fee))];
  const funding = sum(payments.map(({ delta }) => delta.usdc));
  const volume = sum(fills.map(notional));
  const text = wireText;
  const share = (value: Decimal, by: Decimal | number): string | null => (new Decimal(by).isZero() ? null : text(value.div(by)));
  return {
    ...{ gross_pnl: text(gross), fees: text(fees), funding: text(funding), net_pnl: text(gross.minus(fees).plus(funding)) },
    ...{ volume: text(volume), fills: fills.length, fill_trades: trades.length },
    ...{ fill_wins: won.length, fill_losses: lost.length },
    ...{ fill_win_rate: share(new Decimal(won.length), trades.length), fill_profit_factor: share(sum(won), sum(lost).abs()) },
    ...{
      fill_average_win: share(sum(won), won.length),
      fill_average_loss: share(sum(lost), lost.length),
      fill_expectancy: share(gross, trades.length),
    },
    ...{ fill_largest_win: text(Decimal.max(0, ...won)), fill_largest_loss: text(Decimal.min(0, ...lost)) },
    maker_share: share(sum(fills.filter(({ crossed, dir }) => !crossed && !/Liquidated/.test(dir)).map(notional)), volume),
  };
}
