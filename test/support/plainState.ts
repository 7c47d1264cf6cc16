// The figures of a position as the formulas of trading-rules 4 and 5.2 say them, step by step, by plain decimal.js. The rules take
// fewer steps, and have to get the same text. For tests only.
import { Decimal as Base } from 'decimal.js';
import type { Position } from '../../src/actors/core/account/account.ts';
import type { MarginTier } from '../../src/market/domain/asset.ts';

const Plain = Base.clone({ precision: 60, rounding: Base.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });
const { ROUND_DOWN, ROUND_HALF_UP } = Base;

/** A position in a coin with a mark. */
export interface MarkedPosition {
  readonly position: Position;
  readonly mark: string;
  readonly tiers: readonly MarginTier[];
}

const plain = (value: { toFixed(): string }): Base => new Plain(value.toFixed());
const forget = (value: Base): Base => value.toDecimalPlaces(40, ROUND_HALF_UP);
const cut = (value: Base): Base => value.toDecimalPlaces(6, ROUND_DOWN);

function wire(value: Base): string {
  const text = value.isZero() ? '0' : value.toFixed();
  return text.includes('.') ? text : `${text}.0`;
}

/** The shown figures of positions that share a cash, in their order. */
export function plainFigures(cash: { toFixed(): string }, all: readonly MarkedPosition[]) {
  const held = all.map(valued);
  const cross = held.filter(({ isCross }) => isCross);
  const behindAll = cross.reduce((sum, { value, maintenance }) => sum.plus(value).minus(maintenance), plain(cash));
  return held.map((one) => {
    const { position, size, value, entryNotional, marginUsed, maintenance, isCross } = one;
    const gain = value.minus(size.isPos() ? entryNotional : entryNotional.neg());
    const price = liquidationPrice(one, isCross ? behindAll.plus(maintenance) : marginUsed);
    return {
      positionValue: wire(value.abs().toDecimalPlaces(6, ROUND_HALF_UP)),
      unrealizedPnl: wire(forget(gain).toDecimalPlaces(6, ROUND_HALF_UP)),
      returnOnEquity: wire(forget(gain.times(position.leverage).div(entryNotional)).toDecimalPlaces(10, ROUND_HALF_UP)),
      liquidationPrice: price.gt(0) ? wire(price) : null,
      marginUsed: wire(marginUsed.toDecimalPlaces(6, ROUND_HALF_UP)),
      maintenanceMargin: wire(maintenance),
    };
  });
}

/** The withdrawable amount of an account without orders and owed funding. */
export function plainWithdrawable(cash: { toFixed(): string }, all: readonly MarkedPosition[]): string {
  const cross = all.map(valued).filter(({ isCross }) => isCross);
  const left = cross.reduce((sum, { value, position }) => {
    const initial = value.abs().div(position.leverage).toDecimalPlaces(40, ROUND_DOWN);
    return sum.plus(value).minus(Plain.max(initial, value.abs().times('0.1')));
  }, plain(cash));
  return wire(cut(Plain.max(left, 0)));
}

type Valued = ReturnType<typeof valued>;

function valued({ position, mark, tiers }: MarkedPosition) {
  const { signedSize, entryNotional, marginMode, leverage, rawUsd } = position;
  const size = plain(signedSize);
  const value = forget(size.times(mark));
  const isCross = marginMode === 'cross';
  const marginUsed = isCross ? cut(value.abs().div(leverage)) : plain(rawUsd).plus(value);
  const lines = linesOf(tiers);
  const tier = lines.filter(({ lowerBound }, index) => index === 0 || value.abs().gt(lowerBound)).at(-1) as Line;
  const maintenance = maintenanceIn(tier, value.abs());
  return { position, size, mark, value, entryNotional: plain(entryNotional), isCross, marginUsed, lines, maintenance };
}

interface Line {
  readonly lowerBound: Base;
  readonly divisor: number;
  readonly deduction: Base;
}

function linesOf(tiers: readonly MarginTier[]): Line[] {
  const lines: Line[] = [];
  for (const tier of tiers) {
    const below = lines.at(-1);
    const lowerBound = plain(tier.lowerBound);
    const divisor = 2 * tier.maxLeverage;
    const step = below ? lowerBound.div(divisor).minus(lowerBound.div(below.divisor)) : new Plain(0);
    lines.push({ lowerBound, divisor, deduction: (below?.deduction ?? new Plain(0)).plus(step) });
  }
  return lines;
}

const maintenanceIn = ({ divisor, deduction }: Line, notional: Base): Base => cut(forget(notional.div(divisor).minus(deduction)));

function liquidationPrice({ size, mark, lines }: Valued, equity: Base): Base {
  const isLong = size.isPos();
  const prices = lines.map((line) => {
    const available = equity.minus(size.abs().times(mark).div(line.divisor)).plus(line.deduction);
    return new Plain(mark).minus(available.times(line.divisor).div(size.times(line.divisor - (isLong ? 1 : -1))));
  });
  const first = isLong ? Plain.max(...prices) : Plain.min(...prices);
  return forget(first).toDecimalPlaces(10, ROUND_HALF_UP);
}
