// What a fill of a mirrored address has cost here beside there, by cause. USD, positive = worse for the account, exact but for the two
// shares of fees that are cut (`lane.ts`, `realFeeOf`). The causes of a fill add up to its whole difference; a test draws fills and adds.
import { cut6, type Decimal, halfUp, ZERO } from '../../../shared/domain/decimal.ts';
import type { Got } from './lane.ts';

export const CAUSES = ['delay', 'price', 'missed', 'partial', 'fees'] as const;
export type Cause = (typeof CAUSES)[number];

export const STATES = ['filled', 'partial', 'missed', 'waits', 'unread'] as const;
type FillState = (typeof STATES)[number];

/** A fill of the address with what was filled here for it. Sizes are coins, prices USD per coin. */
export interface Compared {
  readonly side: 'buy' | 'sell';
  readonly realPrice: Decimal;
  /** What the address paid, times the scale, USD; negative = received. */
  readonly scaledFee: Decimal;
  /** The size there times the scale. */
  readonly scaledSize: Decimal;
  readonly touch: Decimal | undefined;
  readonly mark: Decimal | undefined;
  /** By orders at the market, and by a copy that rested. */
  readonly byOrder: Readonly<Got>;
  readonly byCopy: Readonly<Got>;
  /** Coins that an open copy may still fill: they count nowhere yet. */
  readonly waiting: Decimal;
}

export type Causes = Readonly<Record<Cause | 'difference', Decimal>>;

export function causesOf(fill: Compared): Causes {
  const { realPrice, touch, byOrder, byCopy } = fill;
  const isMissed = gotOf(fill).size.isZero();
  const delay = touch === undefined ? ZERO : worse(fill, touch.minus(realPrice).times(byOrder.size));
  const begins = touch ?? realPrice;
  const priceOfOrders = byOrder.usd.minus(begins.times(byOrder.size));
  const priceOfCopy = byCopy.usd.minus(realPrice.times(byCopy.size));
  const notFilled = worse(fill, markOf(fill).minus(realPrice).times(unfilledOf(fill)));
  return {
    delay,
    price: worse(fill, priceOfOrders.plus(priceOfCopy)),
    missed: isMissed ? notFilled : ZERO,
    partial: isMissed ? ZERO : notFilled,
    fees: gotOf(fill).fee.minus(realFeeOf(fill)),
    difference: differenceOf(fill),
  };
}

/** All that was paid here, and what is missing at the mark, less what was paid there for as many coins. */
function differenceOf(fill: Compared): Decimal {
  const got = gotOf(fill);
  const unfilled = unfilledOf(fill);
  const here = got.usd.plus(markOf(fill).times(unfilled));
  const there = fill.realPrice.times(got.size.plus(unfilled));
  return worse(fill, here.minus(there)).plus(got.fee).minus(realFeeOf(fill));
}

export function stateOf(fill: Compared): Exclude<FillState, 'unread'> {
  if (fill.waiting.gt(0)) return 'waits';
  if (gotOf(fill).size.isZero()) return 'missed';
  return unfilledOf(fill).isZero() ? 'filled' : 'partial';
}

export const gotOf = ({ byOrder, byCopy }: Compared): Readonly<Got> => ({
  size: byOrder.size.plus(byCopy.size),
  usd: byOrder.usd.plus(byCopy.usd),
  fee: byOrder.fee.plus(byCopy.fee),
});

/** Coins that were not filled here, and will not be. */
export const unfilledOf = (fill: Compared): Decimal => fill.scaledSize.minus(gotOf(fill).size).minus(fill.waiting);

/** The notional of the fill there, times the scale. */
export const scaledUsdOf = ({ realPrice, scaledSize }: Compared): Decimal => realPrice.times(scaledSize);

/** In basis points of a notional, half up after 4 decimals: shown only. */
export const bpsOf = (usd: Decimal, notional: Decimal): Decimal =>
  notional.isZero() ? ZERO : halfUp(usd.times(10_000).div(notional), 4);

/** Of the coins that are decided, cut toward zero after 6 decimals while others wait. */
const realFeeOf = ({ scaledFee, scaledSize, waiting }: Compared): Decimal =>
  waiting.isZero() ? scaledFee : cut6(scaledFee.times(scaledSize.minus(waiting)).div(scaledSize));

/** Where no mark was known, what was not filled counts as if it were worth what was paid there. */
const markOf = ({ mark, realPrice }: Compared): Decimal => mark ?? realPrice;

const worse = ({ side }: Compared, usd: Decimal): Decimal => (side === 'buy' ? usd : usd.neg());

export interface Totals {
  readonly fills: number;
  /** Fills by what became of them. */
  readonly states: Readonly<Record<FillState, number>>;
  /** Notional there times the scale, USD; that of `unread` fills is left out, as everything else of them. */
  readonly scaledUsd: Decimal;
  readonly causes: Causes;
}

/** Sums over fills of a mirrored address: how many were filled here, and what all of them have cost beside there, by cause. */
export class Sum implements Totals {
  fills = 0;
  readonly states: Record<FillState, number>;
  scaledUsd = ZERO;
  causes: Causes;

  constructor() {
    this.states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<FillState, number>;
    this.causes = Object.fromEntries([...CAUSES, 'difference'].map((cause) => [cause, ZERO])) as unknown as Causes;
  }

  add(fill: Compared): void {
    this.#count(stateOf(fill));
    this.scaledUsd = this.scaledUsd.plus(scaledUsdOf(fill));
    const causes = causesOf(fill);
    const sums = [...CAUSES, 'difference' as const].map((cause) => [cause, this.causes[cause].plus(causes[cause])] as const);
    this.causes = Object.fromEntries(sums) as Record<keyof Causes, Decimal>;
  }

  /** One whose copy here is not known. */
  addUnread(): void {
    this.#count('unread');
  }

  #count(state: FillState): void {
    this.fills += 1;
    this.states[state] += 1;
  }
}
