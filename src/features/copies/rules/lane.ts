// Shares what was filled here among the fills of the address that it stands for. Both are coins of one order in the order of time: the first
// coin of the address's fills is the first coin that was filled here. Whichever of the two comes first waits for the other.
import { cut6, Decimal, ZERO } from '../../../shared/domain/decimal.ts';

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
