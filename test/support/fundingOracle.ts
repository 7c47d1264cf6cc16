// The second bookkeeping's funding: it remembers every size that a position ever had and since when. At a settlement
// it looks up each hour boundary. Slow, obvious, and without a line of the rules (trading-rules 6.3, 6.4).
import { Fraction, NOTHING } from './fraction.ts';

const HOUR_MS = 3_600_000;

export interface OracleRate {
  readonly rate: string;
  readonly oraclePrice: string;
}

/** The amount of one settlement of one coin. */
export interface OracleSettlement {
  /** Hours with a position. */
  readonly hours: number;
  /** USD credited, and the part of it that belongs to the position that is open now. */
  readonly usd: Fraction;
  readonly ofOpenPosition: Fraction;
}

interface Change {
  readonly timeMs: number;
  readonly size: Fraction;
  /** Counts the positions of the coin: it rises when one is opened or flipped to. */
  readonly position: number;
}

export class FundingOracle {
  readonly #changes = new Map<number, Change[]>();
  readonly #settledToMs = new Map<number, number>();

  /** The position has this size from now on, coins with sign. */
  changed(asset: number, size: Fraction, timeMs: number): void {
    const changes = this.#changes.get(asset) ?? [];
    const last = changes.at(-1);
    const isSame = last !== undefined && last.size.sign() === size.sign();
    changes.push({ timeMs, size, position: (last?.position ?? 0) + (isSame ? 0 : 1) });
    this.#changes.set(asset, changes);
  }

  /**
   * Settles the coin up to this hour boundary, or to the first hour with a position and no rate; one up to `forgottenToMs` is
   * passed over.
   */
  settle(
    asset: number,
    throughMs: number,
    rateOf: (hourMs: number) => OracleRate | undefined,
    forgottenToMs = 0,
  ): OracleSettlement {
    const { settledToMs, ...settlement } = this.#due(asset, throughMs, rateOf, forgottenToMs);
    this.#settledToMs.set(asset, settledToMs);
    return settlement;
  }

  /** The same without settling. */
  pending(asset: number, throughMs: number, rateOf: (hourMs: number) => OracleRate | undefined): OracleSettlement {
    return this.#due(asset, throughMs, rateOf);
  }

  /** The known and unpaid funding up to this boundary, and whether an hour with a position but without a rate stands in the way. */
  open(asset: number, throughMs: number, rateOf: (hourMs: number) => OracleRate | undefined): { hours: number; hasGap: boolean } {
    const { hours, settledToMs } = this.#due(asset, throughMs, rateOf);
    return { hours, hasGap: settledToMs < throughMs };
  }

  /** Hours up to this boundary are never paid. */
  forget(asset: number, throughMs: number): void {
    this.#settledToMs.set(asset, Math.max(throughMs, this.#settledToMs.get(asset) ?? 0));
  }

  get assets(): number[] {
    return [...this.#changes.keys()];
  }

  #due(asset: number, throughMs: number, rateOf: (hourMs: number) => OracleRate | undefined, forgottenToMs = 0) {
    const changes = this.#changes.get(asset) ?? [];
    const firstMs = changes[0]?.timeMs ?? throughMs;
    const open = changes.at(-1)?.position;
    let settledToMs = this.#settledToMs.get(asset) ?? firstMs - (firstMs % HOUR_MS);
    let usd = NOTHING;
    let ofOpenPosition = NOTHING;
    let hours = 0;
    for (let hourMs = settledToMs + HOUR_MS; hourMs <= throughMs; hourMs += HOUR_MS) {
      const held = changes.filter(({ timeMs }) => timeMs < hourMs).at(-1);
      if (held && held.size.sign() !== 0) {
        const known = rateOf(hourMs);
        if (!known && hourMs <= forgottenToMs) continue;
        if (!known) break;
        const payment = held.size.times(Fraction.of(known.oraclePrice)).times(Fraction.of(known.rate)).cut(6).negated();
        usd = usd.plus(payment);
        if (held.position === open) ofOpenPosition = ofOpenPosition.plus(payment);
        hours += 1;
      }
      settledToMs = hourMs;
    }
    return { hours, usd, ofOpenPosition, settledToMs };
  }
}
