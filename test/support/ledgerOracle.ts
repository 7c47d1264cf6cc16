// A second bookkeeping of an account, for tests only: it folds fills one by one in exact rationals and shares no code
// with the rules. Every fill is split into what it closes and what it opens; each margin pool is kept like a till.
import { Fraction, NOTHING } from './fraction.ts';

/** The facts of a fill, as the market and the order say them, without results of the rules. */
export interface OracleFill {
  readonly asset: number;
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  /** A settlement costs no fee. */
  readonly liquidity: 'maker' | 'taker' | 'settlement';
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  /** Mark before the fill. */
  readonly markPrice: string;
  /** Of the coin's lots. */
  readonly sizeDecimals: number;
  /** Absent = the service's own. */
  readonly rates?: OracleRates;
}

/** Fractions of the notional, as decimal text. */
export interface OracleRates {
  readonly maker: string;
  readonly taker: string;
}

/** Result of closing: from the shown entry price, and what was brought beyond the cost (rounded to 30 decimals). */
interface ClosedNumbers {
  readonly closedPnl: string;
  readonly exactPnl: string;
}

/** The oracle's results for one fill, as decimal text. */
export interface OracleNumbers extends ClosedNumbers {
  readonly fee: string;
  readonly startPosition: string;
  readonly marginMovedUsd: string;
}

/** One position of the ledger. */
export interface Held {
  /** Long > 0. */
  readonly size: Fraction;
  /** Total paid for it at opening prices. */
  readonly cost: Fraction;
  /** Cash in the bucket of an isolated position. */
  readonly bucket: Fraction;
}

const FLAT: Held = { size: NOTHING, cost: NOTHING, bucket: NOTHING };

export class LedgerOracle {
  #cash = NOTHING;
  #fees = NOTHING;
  #paid = NOTHING;
  #deposits = NOTHING;
  #funded = NOTHING;
  readonly #held = new Map<number, Held>();

  /** Another oracle with the same past; a change of either leaves the other alone. */
  copy(): LedgerOracle {
    const copy = new LedgerOracle();
    copy.#cash = this.#cash;
    copy.#fees = this.#fees;
    copy.#paid = this.#paid;
    copy.#deposits = this.#deposits;
    copy.#funded = this.#funded;
    for (const [asset, held] of this.#held) copy.#held.set(asset, held);
    return copy;
  }

  deposit(usd: string): void {
    this.#cash = this.#cash.plus(Fraction.of(usd));
    this.#deposits = this.#deposits.plus(Fraction.of(usd));
  }

  /** USD from cash into the bucket of a position; negative = back. */
  moveMargin(asset: number, usd: Fraction): void {
    this.#cash = this.#cash.minus(usd);
    this.#addToBucket(asset, usd);
  }

  /** Funding, USD credited: `toBucket` of it to the bucket of the position, the rest to cash. */
  fund(asset: number, usd: Fraction, toBucket: Fraction): void {
    this.#funded = this.#funded.plus(usd);
    this.#cash = this.#cash.plus(usd).minus(toBucket);
    this.#addToBucket(asset, toBucket);
  }

  #addToBucket(asset: number, usd: Fraction): void {
    if (usd.sign() === 0) return;
    const held = this.#held.get(asset);
    if (!held) throw new Error(`no position in ${asset} to hold ${usd.text()} USD`);
    this.#held.set(asset, { ...held, bucket: held.bucket.plus(usd) });
  }

  fill(fill: OracleFill): OracleNumbers {
    const [price, size] = [Fraction.of(fill.price), Fraction.of(fill.size)];
    const before = this.#held.get(fill.asset) ?? FLAT;
    const direction = fill.side === 'buy' ? 1 : -1;
    const closes = before.size.sign() * direction < 0 ? smaller(size, before.size.magnitude()) : NOTHING;
    const opens = size.minus(closes);
    const fee = feeOf(price.times(size), fill);
    const soldCost = closes.sign() === 0 ? NOTHING : before.cost.times(closes).over(before.size.magnitude());
    const after: Held = {
      size: before.size.plus(size.times(signed(direction))),
      cost: before.cost.minus(soldCost).plus(price.times(opens)),
      bucket: before.bucket,
    };
    const moved = fill.marginMode === 'cross' ? NOTHING : this.#isolated(before, fill, { closes, opens, fee });
    this.#settle(after, fill, { notional: price.times(size).times(signed(direction)), fee, moved });
    return {
      fee: fee.text(),
      ...closed(before, { price, closes, proceeds: price.times(closes), cost: soldCost, sizeDecimals: fill.sizeDecimals }),
      startPosition: before.size.text(),
      marginMovedUsd: moved.text(),
    };
  }

  /** The price for which a take-over closes the whole position. `usd` has the position's sign. */
  closedAt(taken: Pick<OracleFill, 'asset' | 'price' | 'size' | 'sizeDecimals'> & { readonly usd: string }): ClosedNumbers {
    const before = this.#held.get(taken.asset) ?? FLAT;
    const [price, closes] = [Fraction.of(taken.price), Fraction.of(taken.size)];
    const proceeds = Fraction.of(taken.usd).times(signed(before.size.sign()));
    return closed(before, { price, closes, proceeds, cost: before.cost, sizeDecimals: taken.sizeDecimals });
  }

  /** The house takes a position over: it leaves an isolated bucket with nothing, and cross cash with this much more. */
  takeOver({ asset, marginMode, usd }: { asset: number; marginMode: 'cross' | 'isolated'; usd: Fraction }): void {
    const bucket = this.#held.get(asset)?.bucket ?? NOTHING;
    const paid = marginMode === 'isolated' ? bucket.negated() : usd;
    this.#deposits = this.#deposits.plus(paid);
    if (marginMode === 'cross') this.#cash = this.#cash.plus(paid);
    this.#held.delete(asset);
  }

  /** The house pays a debt of cross cash that no position stands behind. */
  payDebt(usd: Fraction): void {
    this.#deposits = this.#deposits.plus(usd);
    this.#cash = this.#cash.plus(usd);
  }

  /** The same as `cash` and `position`, as numbers. */
  get pools(): { readonly cash: Fraction; readonly held: ReadonlyMap<number, Held> } {
    return { cash: this.#cash, held: this.#held };
  }

  /** Cash of the cross pool. */
  get cash(): string {
    return this.#cash.text();
  }

  /** `undefined` when flat. `entryPrice` and `cost` are rounded to 30 decimals. */
  position(asset: number): { signedSize: string; cost: string; entryPrice: string; rawUsd: string } | undefined {
    const held = this.#held.get(asset);
    if (!held) return undefined;
    return {
      signedSize: held.size.text(),
      cost: held.cost.text(30),
      entryPrice: held.cost.over(held.size.magnitude()).text(30),
      rawUsd: held.bucket.text(),
    };
  }

  /** Assets with a position, ascending. */
  get assets(): number[] {
    return [...this.#held.keys()].sort((a, b) => a - b);
  }

  /** Invariant 1: all margin pools together are deposits and funding less what fills cost and their fees. */
  get isConserved(): boolean {
    const pools = [...this.#held.values()].reduce((sum, { bucket }) => sum.plus(bucket), this.#cash);
    return pools.equals(this.#deposits.plus(this.#funded).minus(this.#paid).minus(this.#fees));
  }

  #settle(after: Held, { asset, marginMode }: OracleFill, money: { notional: Fraction; fee: Fraction; moved: Fraction }): void {
    const paid = money.notional.plus(money.fee);
    const isCross = marginMode === 'cross';
    this.#paid = this.#paid.plus(money.notional);
    this.#fees = this.#fees.plus(money.fee);
    this.#cash = this.#cash.minus(isCross ? paid : money.moved);
    const bucket = isCross ? NOTHING : after.bucket.minus(paid).plus(money.moved);
    if (after.size.sign() === 0) this.#held.delete(asset);
    else this.#held.set(asset, { ...after, bucket });
  }

  /** USD from cash into the bucket, by the table of trading-rules 4.5. */
  #isolated(before: Held, fill: OracleFill, parts: { closes: Fraction; opens: Fraction; fee: Fraction }): Fraction {
    const price = Fraction.of(fill.price);
    const margin = price.times(parts.opens).over(Fraction.of(fill.leverage)).cut(6);
    const held = before.size.magnitude();
    if (parts.closes.sign() === 0) return margin;
    const openingFee = feeOf(price.times(parts.opens), fill);
    if (parts.closes.compare(held) === 0) {
      const left = before.bucket.plus(before.size.times(price)).minus(parts.fee.minus(openingFee));
      return margin.minus(left);
    }
    const mark = Fraction.of(fill.markPrice);
    const equity = before.bucket.plus(before.size.times(mark));
    const released = equity.times(parts.closes).over(held).cut(6);
    const stays = equity.minus(released);
    const result = price.minus(mark).times(parts.closes).times(signed(before.size.sign())).minus(parts.fee);
    if (result.sign() >= 0) return released.negated();
    const room = stays.sign() > 0 ? stays : NOTHING;
    const uncovered = result.magnitude().minus(room);
    return uncovered.sign() > 0 ? uncovered.minus(released) : released.negated();
  }
}

function closed(
  { size, cost }: Held,
  of: { price: Fraction; closes: Fraction; proceeds: Fraction; cost: Fraction; sizeDecimals: number },
): ClosedNumbers {
  if (of.closes.sign() === 0) return { closedPnl: '0', exactPnl: '0' };
  const sign = signed(size.sign());
  const shownEntry = cost.over(size.magnitude()).cut(6 - of.sizeDecimals);
  return {
    closedPnl: of.price.minus(shownEntry).times(of.closes).times(sign).cut(6).text(),
    exactPnl: of.proceeds.minus(of.cost).times(sign).text(30),
  };
}

const OWN_RATES: OracleRates = { maker: '0.00015', taker: '0.00045' };

function feeOf(notional: Fraction, { liquidity, rates = OWN_RATES }: Pick<OracleFill, 'liquidity' | 'rates'>): Fraction {
  if (liquidity === 'settlement') return NOTHING;
  return notional.times(Fraction.of(rates[liquidity])).cut(6);
}

function smaller(a: Fraction, b: Fraction): Fraction {
  return a.compare(b) < 0 ? a : b;
}

function signed(direction: number): Fraction {
  return new Fraction(BigInt(direction));
}
