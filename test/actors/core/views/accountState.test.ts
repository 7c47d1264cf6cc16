import { expect } from 'chai';
import fc from 'fast-check';
import { freeMargin } from '../../../../src/actors/core/margin/margin.ts';
import { accountState } from '../../../../src/actors/core/views/accountState.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FillBook } from '../../../support/fillBook.ts';
import { type FixtureCoin, FixtureMarket } from '../../../support/fixtureMarket.ts';
import { plainFigures, plainWithdrawable } from '../../../support/plainState.ts';
import { readRecording } from '../../../support/recordings.ts';

/** The part of a recorded `clearinghouseState` that these tests compare. */
interface Recorded {
  readonly marginSummary: RecordedSummary;
  readonly crossMarginSummary: RecordedSummary;
  readonly crossMaintenanceMarginUsed?: string;
  readonly withdrawable: string;
  readonly assetPositions: readonly { readonly position: RecordedPosition }[];
}

interface RecordedSummary {
  readonly accountValue: string;
  readonly totalNtlPos: string;
  readonly totalRawUsd: string;
  readonly totalMarginUsed: string;
}

interface RecordedPosition {
  readonly coin: string;
  readonly szi: string;
  readonly leverage: { readonly type: 'cross' | 'isolated'; readonly value: number; readonly rawUsd?: string };
  readonly entryPx: string;
  readonly positionValue: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  readonly liquidationPx: string | null;
  readonly marginUsed: string;
  readonly maxLeverage?: number;
}

const decimalsOf = (text: string) => new Decimal(text).decimalPlaces();

/** An account that holds what a recording shows, in a market at the marks that it implies. */
function rebuilt({ assetPositions, crossMarginSummary }: Recorded): FillBook {
  const coins = assetPositions.map(({ position: { coin, szi, positionValue, maxLeverage = 50 } }): FixtureCoin => {
    const mark = new Decimal(positionValue).div(new Decimal(szi).abs());
    return { coin, sizeDecimals: decimalsOf(szi), maxLeverage, mark: mark.toFixed() };
  });
  const book = new FillBook(new FixtureMarket(coins), crossMarginSummary.totalRawUsd);
  for (const { position } of assetPositions) {
    const { coin, szi, entryPx, leverage } = position;
    book.setLeverage(coin, leverage.value, leverage.type);
    book.held(coin, { signedSize: szi, entryPrice: entryPx, rawUsd: leverage.rawUsd ?? '0' });
  }
  return book;
}

const recording = (name: string) => readRecording(name).response as Recorded;
const stateOf = (book: FillBook) => accountState(book, book.market, 1_700_000_000_000);

function summary({ accountValue, totalNtlPos, totalRawUsd, totalMarginUsed }: RecordedSummary) {
  return { accountValue, totalNotional: totalNtlPos, totalRawUsd, totalMarginUsed };
}

function figures({ coin, szi, leverage, entryPx, positionValue, unrealizedPnl, marginUsed }: RecordedPosition) {
  return { coin, signedSize: szi, leverage, entryPrice: entryPx, positionValue, unrealizedPnl, marginUsed };
}

describe('accountState: recorded accounts, to the last digit', () => {
  it('EX-4.1: one isolated position', () => {
    const recorded = recording('info.clearinghouseState.isolated');
    const state = stateOf(rebuilt(recorded));
    expect(state.marginSummary).to.deep.equal(summary(recorded.marginSummary));
    expect(state.crossMarginSummary).to.deep.equal(summary(recorded.crossMarginSummary));
    expect(state.crossMaintenanceMarginUsed).to.equal(recorded.crossMaintenanceMarginUsed);
    expect(state.withdrawable).to.equal(recorded.withdrawable);
    const position = recorded.assetPositions[0]?.position;
    if (!position) throw new Error('the recording has a position');
    expect(state.positions).to.have.length(1);
    expect(state.positions[0]).to.deep.include({
      ...figures(position),
      returnOnEquity: position.returnOnEquity,
      liquidationPrice: position.liquidationPx,
      maxLeverage: position.maxLeverage,
    });
  });

  it('an empty account', () => {
    const recorded = recording('info.clearinghouseState.empty');
    const state = stateOf(rebuilt(recorded));
    expect(state).to.deep.equal({
      marginSummary: summary(recorded.marginSummary),
      crossMarginSummary: summary(recorded.crossMarginSummary),
      crossMaintenanceMarginUsed: '0.0',
      withdrawable: '0.0',
      positions: [],
      timeMs: 1_700_000_000_000,
    });
  });

  it('EX-4.1c: twelve cross positions of 2023', () => {
    const recorded = recording('info.clearinghouseState.2023');
    const book = rebuilt(recorded);
    const state = stateOf(book);
    expect(state.marginSummary).to.deep.equal(summary(recorded.marginSummary));
    expect(state.crossMarginSummary).to.deep.equal(summary(recorded.crossMarginSummary));
    expect(state.positions).to.have.length(12);
    recorded.assetPositions.forEach(({ position }, index) => {
      expect(state.positions[index]).to.deep.include(figures(position));
    });
    // In 2023 everything that was free could be withdrawn; since then 10 % of each notional stays (trading-rules 4.7).
    expect(freeMargin(book, book.market).toFixed()).to.equal(recorded.withdrawable);
    expect(state.withdrawable).to.equal('838.830962');
  });
});

describe('accountState: figures at mark', () => {
  const long = () => {
    const book = new FillBook(new FixtureMarket(), '1000').setLeverage('ETH', 10);
    return book.filled('ETH', { side: 'buy', price: '2000', size: '0.5' });
  };

  it('EX-4.1b, EX-5.2f: a cross long at its entry', () => {
    const { marginSummary, crossMaintenanceMarginUsed, positions } = stateOf(long());
    expect(marginSummary).to.deep.equal({
      accountValue: '999.55',
      totalNotional: '1000.0',
      totalRawUsd: '-0.45',
      totalMarginUsed: '100.0',
    });
    expect(crossMaintenanceMarginUsed).to.equal('20.0');
    expect(positions[0]).to.deep.include({ unrealizedPnl: '0.0', returnOnEquity: '0.0', liquidationPrice: '0.9183673469' });
  });

  it('EX-4.1b: the same 5 % higher', () => {
    const book = long();
    book.market.setPrices('ETH', { mark: '2100' });
    const { marginSummary, positions } = stateOf(book);
    expect(marginSummary.accountValue).to.equal('1049.55');
    expect(positions[0]).to.deep.include({ marginUsed: '105.0', unrealizedPnl: '50.0', returnOnEquity: '0.5' });
  });

  it('EX-5.2d: two cross positions', () => {
    const coins: FixtureCoin[] = [
      { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, mark: '60000' },
      { coin: 'ETH', sizeDecimals: 4, maxLeverage: 25, mark: '3000' },
    ];
    const book = new FillBook(new FixtureMarket(coins), '10000').held('BTC', { signedSize: '1', entryPrice: '60000' });
    book.held('ETH', { signedSize: '-20', entryPrice: '3000' });
    const { crossMaintenanceMarginUsed, positions } = stateOf(book);
    expect(crossMaintenanceMarginUsed).to.equal('1950.0');
    expect(positions.map(({ liquidationPrice }) => liquidationPrice)).to.deep.equal(['51848.1012658228', '3394.6078431373']);
  });

  it('edge 66: the liquidation price of one cross position moves with the mark of the other', () => {
    const book = long().held('SOL', { signedSize: '-1', entryPrice: '100' });
    const shown = () => stateOf(book).positions.find(({ coin }) => coin === 'SOL')?.liquidationPrice;
    const before = shown();
    book.market.setPrices('ETH', { mark: '1900' });
    expect(shown()).to.not.equal(before);
  });

  it('an entry price of thirds is cut to the grid where it is shown, and kept exact', () => {
    const book = new FillBook(new FixtureMarket(), '1000').filled('SOL', { side: 'buy', price: '100', size: '1' });
    book.filled('SOL', { side: 'buy', price: '110', size: '2' });
    expect(stateOf(book).positions[0]).to.deep.include({ entryPrice: '106.6666', unrealizedPnl: '-20.0' });
  });

  it('positions come by asset id', () => {
    const book = long()
      .filled('SOL', { side: 'sell', price: '100', size: '1' })
      .filled('BTC', { side: 'buy', price: '65000', size: '0.001' });
    expect(stateOf(book).positions.map(({ coin }) => coin)).to.deep.equal(['BTC', 'ETH', 'SOL']);
  });

  it('without a mark, and without the asset, a position counts at its entry price', () => {
    const book = long();
    book.market.removePrices('ETH');
    expect(stateOf(book).positions[0]).to.deep.include({ positionValue: '1000.0', unrealizedPnl: '0.0' });
    const unknown = accountState(book, new FixtureMarket([]), 0);
    expect(unknown.marginSummary.accountValue).to.equal('999.55');
    expect(unknown.positions[0]?.maxLeverage).to.equal(10);
  });

  it('edge 70: figures stay numbers when the account is worth less than nothing', () => {
    const book = long();
    book.market.setPrices('ETH', { mark: '0.5' });
    const { withdrawable, marginSummary, positions } = stateOf(book);
    expect([withdrawable, marginSummary.accountValue]).to.deep.equal(['0.0', '-0.2']);
    expect(positions[0]?.liquidationPrice).to.equal('0.9183673469');
  });
});

describe('accountState: invariants over random fills', () => {
  const fill = fc.record({
    coin: fc.constantFrom('BTC', 'ETH', 'SOL', 'ISO'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    size: fc.integer({ min: 1, max: 500 }).map((lots) => String(lots / 100)),
    price: fc.integer({ min: 100, max: 20_000 }).map((ticks) => String(ticks / 100)),
  });

  it('invariants 5 and 30: the identities hold field by field, every number is plain', () => {
    fc.assert(
      fc.property(fc.array(fill, { minLength: 1, maxLength: 12 }), (fills) => {
        const book = new FillBook(new FixtureMarket(), '10000').setLeverage('SOL', 3);
        for (const { coin, ...fields } of fills) book.fill(coin, fields);
        const { marginSummary, crossMarginSummary, positions } = stateOf(book);
        const sum = (values: readonly string[]) => values.reduce((total, value) => total.plus(value), new Decimal(0));
        const isolated = positions.filter(({ leverage }) => leverage.type === 'isolated');
        const signed = positions.map(({ signedSize, positionValue }) =>
          signedSize.startsWith('-') ? `-${positionValue}` : positionValue,
        );
        expect(sum([marginSummary.totalRawUsd, ...signed]).eq(marginSummary.accountValue)).to.equal(true);
        expect(
          sum([crossMarginSummary.accountValue, ...isolated.map(({ marginUsed }) => marginUsed)]).eq(marginSummary.accountValue),
        ).to.equal(true);
        expect(sum(positions.map(({ marginUsed }) => marginUsed)).eq(marginSummary.totalMarginUsed)).to.equal(true);
        expect(sum(positions.map(({ positionValue }) => positionValue)).eq(marginSummary.totalNotional)).to.equal(true);
        const texts = JSON.stringify([marginSummary, crossMarginSummary, positions]).match(/"[-+]?\d[^"]*"/g) ?? [];
        for (const text of texts) expect(text).to.match(/^"(-(?!0\.0"))?(0|[1-9]\d*)\.(0|\d*[1-9])"$/);
        expect(JSON.stringify(positions)).to.not.include('NaN');
      }),
    );
  });

  it('each figure of a position is the one of the formulas step by step, thirds and ties and tiers included', () => {
    const COINS: readonly FixtureCoin[] = [
      { coin: 'FINE', sizeDecimals: 5, maxLeverage: 40, mark: '65000' },
      { coin: 'THIRD', sizeDecimals: 0, maxLeverage: 3, mark: '0.0123' },
      {
        coin: 'STEPS',
        sizeDecimals: 2,
        maxLeverage: 20,
        marginTiers: [
          ['0', 20],
          ['40000', 10],
          ['900000', 7],
          ['2000000', 3],
        ],
        mark: '100',
      },
      { coin: 'ALONE', sizeDecimals: 1, maxLeverage: 7, onlyIsolated: true, mark: '31.7' },
    ];
    const traded = fc.record({
      coin: fc.nat(COINS.length - 1),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      lots: fc.integer({ min: 1, max: 5_000_000 }),
      share: fc.integer({ min: 800, max: 1200 }),
    });
    const drawn = fc.record({
      cash: fc.integer({ min: 0, max: 1_000_000_000 }).map((cents) => String(cents / 100)),
      leverages: fc.array(fc.integer({ min: 1, max: 14 }), { minLength: COINS.length, maxLength: COINS.length }),
      fills: fc.array(traded, { minLength: 1, maxLength: 8 }),
      moves: fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: COINS.length, maxLength: COINS.length }),
    });
    const property = fc.property(drawn, ({ cash, leverages, fills, moves }) => {
      const market = new FixtureMarket(COINS);
      const book = new FillBook(market, cash);
      COINS.forEach(({ coin, maxLeverage, onlyIsolated }, n) => {
        book.setLeverage(coin, Math.min(leverages[n] as number, maxLeverage), onlyIsolated ? 'isolated' : 'cross');
      });
      for (const { coin: n, side, lots, share } of fills) {
        const { coin, sizeDecimals, mark } = COINS[n] as FixtureCoin;
        const price = new Decimal(mark as string)
          .times(share)
          .div(1000)
          .toDecimalPlaces(6 - sizeDecimals);
        book.fill(coin, { side, size: new Decimal(lots).div(10 ** sizeDecimals).toFixed(), price: price.toFixed() });
      }
      COINS.forEach(({ coin, sizeDecimals, mark }, n) => {
        const moved = new Decimal(mark as string).times(moves[n] as number).div(10_000);
        market.setPrices(coin, { mark: moved.toDecimalPlaces(6 - sizeDecimals, Decimal.ROUND_UP).toFixed() });
      });
      const held = [...book.positions.values()].sort((a, b) => a.asset - b.asset);
      const marked = held.map((position) => ({
        position,
        mark: market.prices(position.asset)?.markPrice.toFixed() as string,
        tiers: market.asset(position.asset)?.marginTiers ?? [],
      }));
      const wanted = plainFigures(book.cash, marked);
      const { positions, withdrawable } = stateOf(book);
      expect(withdrawable).to.equal(plainWithdrawable(book.cash, marked));
      wanted.forEach((figuresOfOne, n) => {
        expect(positions[n]).to.deep.include(figuresOfOne);
      });
      expect(positions).to.have.length(wanted.length);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('invariant 32: mirrored around the entry price, PnL is mirrored', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: 199 }), (lots, mark) => {
        const size = String(lots / 100);
        const pnl = (side: 'buy' | 'sell', at: number) => {
          const book = new FillBook(new FixtureMarket(), '10000').filled('SOL', { side, price: '100', size });
          book.market.setPrices('SOL', { mark: String(at) });
          return stateOf(book).positions[0]?.unrealizedPnl;
        };
        expect(pnl('buy', mark)).to.equal(pnl('sell', 200 - mark));
      }),
    );
  });
});
