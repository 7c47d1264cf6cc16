// What a fill of a mirrored address has got here, and what it has cost beside there, by cause. Fills here are shared among the fills of the
// address that they stand for. Both are coins of one order in the order of time: the first coin of the address's fills is the first coin
// that was filled here. Whichever of the two comes first waits for the other.
// Costs are USD, positive = worse for the account, exact but for the two shares of fees that are cut (`feeUpTo`, `realFeeOf`). The causes of
// a fill add up to its whole difference; a test draws fills and adds.
import { cut6, Decimal, halfUp, ZERO } from '../../../shared/domain/decimal.ts';

/** A fill of the account, as far as it matters here. */
export interface OwnFill {
  readonly price: Decimal;
  readonly size: Decimal;
  readonly fee: Decimal;
}

/** Sums over the parts of fills that a fill of the address has got here. */
export interface Got {
  size: Decimal;
  /** Prices times sizes, USD. */
  usd: Decimal;
  fee: Decimal;
}

export const nothingGot = (): Got => ({ size: ZERO, usd: ZERO, fee: ZERO });

/** What is to be had for a fill of the address: `left` has not been had so far, coins. */
export interface Claim {
  readonly got: Got;
  left: Decimal;
}

interface Offer {
  readonly fill: OwnFill;
  used: Decimal;
}

/** Of one copy: it may fill before the address, or after it, as long as it is open. */
export class CopyLane {
  readonly #claims: Claim[] = [];
  readonly #offers: Offer[] = [];

  /** @param size coins of the address's fill, scaled */
  claim(got: Got, size: Decimal): Readonly<Claim> {
    const claim = { got, left: size };
    this.#claims.push(claim);
    this.#match();
    return claim;
  }

  offer(fill: OwnFill): void {
    this.#offers.push({ fill, used: ZERO });
    this.#match();
  }

  /** Fills that no fill of the address has claimed so far, USD. */
  get unclaimedUsd(): Decimal {
    return this.#offers.reduce((sum, { fill, used }) => sum.plus(fill.price.times(fill.size.minus(used))), ZERO);
  }

  #match(): void {
    for (;;) {
      const [claim] = this.#claims;
      const [offer] = this.#offers;
      if (claim === undefined || offer === undefined) return;
      const size = Decimal.min(claim.left, offer.fill.size.minus(offer.used));
      take(claim, offer, size);
      if (claim.left.lte(0)) this.#claims.shift();
      if (offer.used.gte(offer.fill.size)) this.#offers.shift();
    }
  }
}

/** Of the orders at the market that were sent for fills of one order of the address: each is for the coins that no one before it was for. */
export class OrderLane {
  readonly #claims: Claim[] = [];

  claim(got: Got, size: Decimal): void {
    this.#claims.push({ got, left: size });
  }

  /**
   * An order was for `size` coins and has got these fills. What it has not got is had no more; what was cut off to lots stays to be claimed.
   * @returns USD of its fills that no fill of the address has claimed
   */
  settle(size: Decimal, fills: readonly OwnFill[]): Decimal {
    let open = size;
    const offers: Offer[] = fills.map((fill) => ({ fill, used: ZERO }));
    for (let [claim] = this.#claims; claim !== undefined && open.gt(0); [claim] = this.#claims) {
      const [offer] = offers;
      const rest = offer?.fill.size.minus(offer.used) ?? open;
      const part = Decimal.min(claim.left, open, rest);
      if (offer === undefined) claim.left = claim.left.minus(part);
      else take(claim, offer, part);
      if (offer?.used.gte(offer.fill.size)) offers.shift();
      if (claim.left.lte(0)) this.#claims.shift();
      open = open.minus(part);
    }
    return offers.reduce((sum, { fill, used }) => sum.plus(fill.price.times(fill.size.minus(used))), ZERO);
  }
}

function take(claim: Claim, offer: Offer, size: Decimal): void {
  const { fill, used } = offer;
  const until = used.plus(size);
  const { got } = claim;
  got.size = got.size.plus(size);
  got.usd = got.usd.plus(fill.price.times(size));
  got.fee = got.fee.plus(feeUpTo(fill, until)).minus(feeUpTo(fill, used));
  claim.left = claim.left.minus(size);
  offer.used = until;
}

/** Of the first coins of a fill, cut toward zero after 6 decimals, so that the shares of all of them are the fee. */
const feeUpTo = ({ fee, size }: OwnFill, coins: Decimal): Decimal => (coins.gte(size) ? fee : cut6(fee.times(coins).div(size)));

export const CAUSES = ['delay', 'price', 'missed', 'partial', 'fees'] as const;
export type DeviationCause = (typeof CAUSES)[number];

export const STATES = ['filled', 'partial', 'missed', 'waits', 'unread'] as const;
type FillState = (typeof STATES)[number];

/** A fill of the address with what was filled here for it. Sizes are coins, prices USD per coin. */
export interface FillBeside {
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

export type Causes = Readonly<Record<DeviationCause | 'difference', Decimal>>;

export function causesOf(fill: FillBeside): Causes {
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
function differenceOf(fill: FillBeside): Decimal {
  const got = gotOf(fill);
  const unfilled = unfilledOf(fill);
  const here = got.usd.plus(markOf(fill).times(unfilled));
  const there = fill.realPrice.times(got.size.plus(unfilled));
  return worse(fill, here.minus(there)).plus(got.fee).minus(realFeeOf(fill));
}

export function stateOf(fill: FillBeside): Exclude<FillState, 'unread'> {
  if (fill.waiting.gt(0)) return 'waits';
  if (gotOf(fill).size.isZero()) return 'missed';
  return unfilledOf(fill).isZero() ? 'filled' : 'partial';
}

export const gotOf = ({ byOrder, byCopy }: FillBeside): Readonly<Got> => ({
  size: byOrder.size.plus(byCopy.size),
  usd: byOrder.usd.plus(byCopy.usd),
  fee: byOrder.fee.plus(byCopy.fee),
});

/** Coins that were not filled here, and will not be. */
export const unfilledOf = (fill: FillBeside): Decimal => fill.scaledSize.minus(gotOf(fill).size).minus(fill.waiting);

/** The notional of the fill there, times the scale. */
export const scaledUsdOf = ({ realPrice, scaledSize }: FillBeside): Decimal => realPrice.times(scaledSize);

/** In basis points of a notional, half up after 4 decimals: shown only. */
export const bpsOf = (usd: Decimal, notional: Decimal): Decimal =>
  notional.isZero() ? ZERO : halfUp(usd.times(10_000).div(notional), 4);

/** Of the coins that are decided, cut toward zero after 6 decimals while others wait. */
const realFeeOf = ({ scaledFee, scaledSize, waiting }: FillBeside): Decimal =>
  waiting.isZero() ? scaledFee : cut6(scaledFee.times(scaledSize.minus(waiting)).div(scaledSize));

/** Where no mark was known, what was not filled counts as if it were worth what was paid there. */
const markOf = ({ mark, realPrice }: FillBeside): Decimal => mark ?? realPrice;

const worse = ({ side }: FillBeside, usd: Decimal): Decimal => (side === 'buy' ? usd : usd.neg());

const causesBy = (of: (cause: keyof Causes) => Decimal): Causes =>
  Object.fromEntries([...CAUSES, 'difference' as const].map((cause) => [cause, of(cause)])) as unknown as Causes;

/** Sums over fills of a mirrored address: how many were filled here, and what all of them have cost beside there, by cause. */
export class Sum {
  fills = 0;
  /** Fills by what became of them. */
  readonly states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<FillState, number>;
  /** Notional there times the scale, USD; that of `unread` fills is left out, as everything else of them. */
  scaledUsd = ZERO;
  causes = causesBy(() => ZERO);

  add(fill: FillBeside): void {
    this.#count(stateOf(fill));
    this.scaledUsd = this.scaledUsd.plus(scaledUsdOf(fill));
    const [before, more] = [this.causes, causesOf(fill)];
    this.causes = causesBy((cause) => before[cause].plus(more[cause]));
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
