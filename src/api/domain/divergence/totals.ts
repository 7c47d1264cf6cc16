// Sums over fills of a mirrored address: how many were filled here, and what all of them have cost beside there, by cause.
import { type Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { CAUSES, type Causes, type Compared, causesOf, type FillState, STATES, scaledUsdOf, stateOf } from './causes.ts';

export interface Totals {
  readonly fills: number;
  /** Fills by what became of them. */
  readonly states: Readonly<Record<FillState, number>>;
  /** Notional there times the scale, USD; that of `unread` fills is left out, as everything else of them. */
  readonly scaledUsd: Decimal;
  readonly causes: Causes;
}

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
