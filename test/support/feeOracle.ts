// The fee rates of an account, kept a second time for tests: by the texts of the venue's page, in exact rationals, without a line of the rules.
import { Fraction, NOTHING } from './fraction.ts';
import type { OracleRates } from './ledgerOracle.ts';

type Choice =
  | { readonly kind: 'own'; readonly maker: string; readonly taker: string }
  | { readonly kind: 'tier'; readonly tier: number; readonly rebate?: number }
  | { readonly kind: 'volume' };

/** Above so many million USD in 14 days: taker and maker, percent. */
const PERCENT = [
  [-1, '0.045', '0.015'],
  [5, '0.040', '0.012'],
  [25, '0.035', '0.008'],
  [100, '0.030', '0.004'],
  [500, '0.028', '0.000'],
  [2000, '0.026', '0.000'],
  [7000, '0.024', '0.000'],
] as const;
const REBATES = ['', '-0.001', '-0.002', '-0.003'];
const DAY_MS = 86_400_000;

export class FeeOracle {
  #choice: Choice | undefined;
  /** USD by number of the day since 1970. */
  readonly #days = new Map<number, Fraction>();

  choose(choice: Choice | undefined): void {
    this.#choice = choice;
  }

  traded({ price, size }: { readonly price: string; readonly size: string }, timeMs: number): void {
    const day = Math.floor(timeMs / DAY_MS);
    this.#days.set(day, (this.#days.get(day) ?? NOTHING).plus(Fraction.of(price).times(Fraction.of(size))));
  }

  /** The account begins again: its volume is gone, its choice is not. */
  forget(): void {
    this.#days.clear();
  }

  at(timeMs: number): OracleRates {
    const choice = this.#choice ?? { kind: 'tier', tier: 0 };
    if (choice.kind === 'own') return choice;
    const [, taker, maker] = PERCENT[choice.kind === 'volume' ? this.#tierAt(timeMs) : choice.tier] ?? PERCENT[0];
    const rebate = choice.kind === 'tier' ? REBATES[choice.rebate ?? 0] : '';
    return { taker: shareOf(taker), maker: shareOf(rebate || maker) };
  }

  #tierAt(timeMs: number): number {
    const today = Math.floor(timeMs / DAY_MS);
    let volume = NOTHING;
    for (let day = today - 14; day < today; day += 1) volume = volume.plus(this.#days.get(day) ?? NOTHING);
    const millions = volume.over(Fraction.of(1_000_000));
    return PERCENT.filter(([above]) => millions.compare(Fraction.of(above)) > 0).length - 1;
  }
}

const shareOf = (percent: string): string => Fraction.of(percent).over(Fraction.of(100)).text();
