// The venue's own recorded histories against the rules: each recorded fill and funding payment is computed again from
// the rows before it. Recordings are pages, so a fill is compared from the point where its history is complete.
import { expect } from 'chai';
import type { Position } from '../../src/actors/core/account/account.ts';
import { fillNumbers } from '../../src/actors/core/fills/fillPlan.ts';
import { paymentsOf } from '../../src/actors/core/margin/fundingPayments.ts';
import { foundTrip } from '../../src/actors/core/margin/position.ts';
import { cut6, cutTo, Decimal, halfUp, ZERO } from '../../src/shared/domain/decimal.ts';
import { feeOf } from '../../src/shared/domain/fees.ts';
import { readRecording } from '../support/recordings.ts';

interface RecordedFill {
  readonly coin: string;
  readonly px: string;
  readonly sz: string;
  readonly side: 'A' | 'B';
  readonly time: number;
  readonly startPosition: string;
  readonly dir: string;
  readonly closedPnl: string;
  readonly oid: number;
  readonly crossed: boolean;
  readonly fee: string;
  readonly builderFee?: string;
}

interface RecordedPayment {
  readonly time: number;
  readonly delta: {
    readonly coin: string;
    readonly usdc: string;
    readonly szi: string;
    readonly fundingRate: string;
    readonly nSamples: number | null;
  };
}

/** Rates that the recorded accounts paid: ours, rates of other volumes and discounts, and a maker's rebate. */
const RATES = ['0.00045', '0.00015', '0.00035', '0.000432', '-0.00003'];

/** A perp has no slash and no @ in its name; a vault's netting and a conversion of dust are no fills. */
const isPerpFill = ({ coin, dir }: RecordedFill) => !/[@/]/.test(coin) && /Long|Short/.test(dir);
const d = (text: string) => new Decimal(text);
const side = ({ side: wire }: RecordedFill) => (wire === 'B' ? ('buy' as const) : ('sell' as const));
const signedSize = (fill: RecordedFill) => d(fill.sz).times(fill.side === 'B' ? 1 : -1);

describe('venue history: recorded fills', () => {
  const names = ['info.userFills', 'info.userFillsByTime', 'info.userFills.2026', 'info.userFills.cloid-rebate'];
  for (const name of [...names, 'info.userFills.liquidation-builder']) {
    it(`${name}: direction and closed size follow from startPosition`, () => {
      for (const fill of fillsIn(name)) {
        const { direction, startPosition } = worked(fill, ZERO);
        expect({ direction, startPosition: startPosition.toString() }).to.deep.equal({
          direction: fill.dir,
          startPosition: d(fill.startPosition).toString(),
        });
      }
    });
  }

  it('info.userFills: every startPosition is the one before it with its fill', () => {
    let compared = 0;
    for (const fills of byCoin(fillsIn('info.userFills'))) {
      for (const [before, now] of pairsAtDifferentTimes(fills)) {
        const after = before.reduce((held, fill) => held.plus(signedSize(fill)), d(firstOf(before).startPosition));
        expect(firstOf(now).startPosition, `${firstOf(now).coin} at ${firstOf(now).time}`).to.satisfy((text: string) =>
          d(text).eq(after),
        );
        compared += 1;
      }
    }
    expect(compared).to.be.greaterThan(90);
  });

  it('info.userFillsByTime: a whole round trip, with closedPnl of the exact entry', () => {
    const [open, close] = fillsIn('info.userFillsByTime');
    if (!open || !close) throw new Error('the recording is a round trip');
    expect(worked(open, ZERO).closedPnl.toString()).to.equal('0');
    expect(worked(close, d(open.px)).closedPnl.toString()).to.equal(d(close.closedPnl).toString());
    expect(d(close.startPosition).toString()).to.equal(open.sz);
  });

  it('EX-5.4: the recorded liquidation closes at the entry of its user', () => {
    const [fill] = fillsIn('info.userFills.liquidation-builder').filter(({ closedPnl }) => closedPnl === '-46.0356');
    if (!fill) throw new Error('the recording has a liquidation');
    expect(worked(fill, d('30')).closedPnl.toString()).to.equal('-46.0356');
  });

  it('info.userFills: closedPnl of 2023 is ours at the entry price of 2023, which closing fills moved too, but for the sign of a flip', () => {
    let compared = 0;
    for (const fills of byCoin(fillsIn('info.userFills'))) {
      let entry: Decimal | undefined;
      let held: Decimal | undefined;
      for (const group of groupsByTime(fills)) {
        const [fill, ...others] = group;
        if (!fill) continue;
        const start = d(fill.startPosition);
        // A trade of the account with itself stands in two rows; where one does, or rows are missing, the entry is lost.
        const hasSelfTrade = others.some((other) => other.side !== fill.side);
        if (hasSelfTrade || (held !== undefined && !held.eq(start))) entry = undefined;
        held = group.reduce((sum, each) => sum.plus(signedSize(each)), start);
        if (hasSelfTrade) continue;
        for (const each of group) {
          const numbers = worked(each, entry ?? ZERO);
          if (entry && !numbers.closedSize.isZero()) {
            const { closedPnl, closedSize } = numbers;
            // The entry of 2023 was itself cut, so it is right to one unit in its last place.
            const unit = closedSize.times(entryUnit(entry));
            expect(
              closedPnl.minus(closedPnlOf2023(each)).abs().lte(unit),
              `${each.coin} ${each.time} ${closedPnl.toString()}`,
            ).to.equal(true);
            compared += 1;
          }
          entry = entryOf2023(each, entry);
        }
      }
    }

    expect(compared).to.be.greaterThan(50);
  });

  it('fees: each is its notional at one of the known rates, cut after 6 decimals', () => {
    const twap = readRecording('ws.userTwapSliceFills').response as { data: { twapSliceFills: { fill: RecordedFill }[] } };
    const slices = twap.data.twapSliceFills.map(({ fill }) => fill);
    const seen = new Set<string>();
    for (const fill of [...names.slice(1), 'info.userFills.liquidation-builder'].flatMap(fillsIn).concat(slices)) {
      // Other exchanges on the venue's chain have rates of their own.
      if (fill.coin.includes(':')) continue;
      const notional = d(fill.px).times(fill.sz);
      const fee = d(fill.fee).minus(fill.builderFee ?? 0);
      const rate = fee.isZero() ? '0' : RATES.find((each) => cut6(notional.times(each)).eq(fee));
      expect(rate, `${fill.coin} ${fill.fee} of ${notional.toString()}`).to.be.a('string');
      if (rate) {
        const rates = { maker: d(rate), taker: d(rate) };
        expect(feeOf(notional, fill.crossed ? 'taker' : 'maker', rates).toString()).to.equal(fee.toString());
      }
      if (rate) seen.add(rate);
    }
    expect([...seen]).to.include.members(['0.00045', '0.000432', '-0.00003']);
  });
});

describe('venue history: recorded funding', () => {
  it('EX-6.1: the rate is the venue’s hourly one as it is, neither worked out from the premium nor times eight', () => {
    const hour = { fromMs: 0, toMs: 0, signedSize: d('2'), isOpen: true };
    const [payment] = paymentsOf([hour], () => ({ rate: d('0.0000125'), oraclePrice: d('2000') }));
    expect(payment?.usd.toString()).to.equal('-0.05');
  });

  for (const name of ['info.userFunding.open', 'info.userFunding.range', 'info.userFunding.2025']) {
    it(`${name}: the sign follows position and rate, and the oracle price that it implies gives the same payment`, () => {
      const last = new Map<string, Decimal>();
      for (const { time, delta } of [readRecording(name).response as RecordedPayment[]].flat()) {
        const [size, rate, usd] = [d(delta.szi), d(delta.fundingRate), d(delta.usdc)];
        const what = `${delta.coin} at ${time}`;
        if (size.isZero() || rate.isZero()) continue;
        expect(usd.isZero() || usd.isPos() === (size.isPos() !== rate.isPos()), what).to.equal(true);
        const samples = delta.nSamples ?? 1;
        const oraclePrice = usd.div(size.times(rate).times(samples)).neg();
        const before = last.get(delta.coin);
        // Cut, averages of 8 decimals: payments below a cent say little about the price.
        if (usd.abs().gt('0.01')) {
          if (before) expect(oraclePrice.div(before).minus(1).abs().toNumber(), what).to.be.lessThan(0.25);
          last.set(delta.coin, oraclePrice);
        }
        const hour = { fromMs: 0, toMs: 0, signedSize: size.times(samples), isOpen: true };
        const [payment] = paymentsOf([hour], () => ({ rate, oraclePrice }));
        expect(payment?.usd.minus(usd).abs().lte('0.000001'), what).to.equal(true);
      }
      expect(last.size).to.be.greaterThan(0);
    });
  }
});

/** Oldest first. */
function fillsIn(name: string): RecordedFill[] {
  const fills = (readRecording(name).response as RecordedFill[]).filter(isPerpFill);
  return fills
    .map((fill, index) => ({ fill, index }))
    .sort((a, b) => a.fill.time - b.fill.time || a.index - b.index)
    .map(({ fill }) => fill);
}

function byCoin(fills: readonly RecordedFill[]): RecordedFill[][] {
  return grouped(fills, ({ coin }) => coin);
}

/** Fills of one moment together. */
function groupsByTime(fills: readonly RecordedFill[]): RecordedFill[][] {
  return grouped(fills, ({ time }) => time);
}

function grouped(fills: readonly RecordedFill[], keyOf: (fill: RecordedFill) => unknown): RecordedFill[][] {
  const groups = new Map<unknown, RecordedFill[]>();
  for (const fill of fills) groups.set(keyOf(fill), [...(groups.get(keyOf(fill)) ?? []), fill]);
  return [...groups.values()];
}

function pairsAtDifferentTimes(fills: readonly RecordedFill[]): [RecordedFill[], RecordedFill[]][] {
  const groups = groupsByTime(fills);
  return groups.slice(1).map((group, index) => [groups[index] ?? [], group]);
}

function firstOf([fill]: readonly RecordedFill[]): RecordedFill {
  if (!fill) throw new Error('no fill in a group');
  return fill;
}

/** Our numbers for the fill, of a position as the row shows it, at this entry price. */
function worked(fill: RecordedFill, entry: Decimal): ReturnType<typeof fillNumbers> {
  const held = d(fill.startPosition);
  const position: Position = {
    asset: 0,
    coin: fill.coin,
    signedSize: held,
    entryNotional: held.abs().times(entry),
    marginMode: 'cross',
    leverage: 10,
    rawUsd: ZERO,
    funding: { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO },
    trip: foundTrip(held.abs(), held.abs().times(entry), 1),
  };
  return fillNumbers(held.isZero() ? undefined : position, {
    side: side(fill),
    price: d(fill.px),
    size: d(fill.sz),
    sizeDecimals: 0,
    liquidity: fill.crossed ? 'taker' : 'maker',
    setting: { marginMode: 'cross', leverage: 10 },
    markPrice: undefined,
  });
}

/** The entry price after the fill, by the row: every fill was averaged in, closing fills as if they were opening. */
function entryOf2023(fill: RecordedFill, before: Decimal | undefined): Decimal | undefined {
  const { closedSize, openedSize } = worked(fill, ZERO);
  const held = d(fill.startPosition).abs();
  if (!openedSize.isZero() && (held.isZero() || !closedSize.isZero())) return d(fill.px);
  const entry = closedSize.isZero() ? before : impliedEntry(fill, closedSize);
  if (!entry || closedSize.eq(held)) return undefined;
  const average = entry.times(held).plus(d(fill.px).times(fill.sz)).div(held.plus(fill.sz));
  return cutTo(average, entryDecimals(average));
}

/** As recorded; a fill that flips had the sign of the new side then. */
function closedPnlOf2023({ dir, closedPnl }: RecordedFill): Decimal {
  return dir.includes('>') ? d(closedPnl).neg() : d(closedPnl);
}

/** closedPnl = direction * (price - entry) * size, solved for the entry. */
function impliedEntry(fill: RecordedFill, closedSize: Decimal): Decimal {
  const perCoin = closedPnlOf2023(fill).div(closedSize);
  const entry = d(fill.px).minus(d(fill.startPosition).isPos() ? perCoin : perCoin.neg());
  return halfUp(entry, entryDecimals(entry));
}

/** Five decimals for prices below 10 USD; one less for each further digit. */
function entryDecimals(price: Decimal): number {
  return Math.max(0, 5 - Math.max(0, Math.floor(Math.log10(price.toNumber()))));
}

function entryUnit(entry: Decimal): Decimal {
  return new Decimal(10).pow(-entryDecimals(entry));
}
