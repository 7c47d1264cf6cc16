// Where an imported account comes from: a sub-account that began with what an address of the venue had.
import type { Decimal } from '../../../../shared/domain/decimal.ts';

/** What it knows of its beginning. A reset ends it: the account is no import any more. */
export interface Imported {
  /** Address at the venue. */
  readonly source: string;
  readonly scale: string;
  /** The account's entry that has it, and its time. */
  readonly seq: number;
  readonly timeMs: number;
  /** Balance that it began with, USD. No other account has lost it. */
  readonly usd: Decimal;
}
