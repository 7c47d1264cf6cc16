// The acts of a scripted address, as a control call or a step of its script names them. This file finds every fault of such an act.
import { Decimal } from '../../../shared/domain/decimal.ts';
import { ControlError } from '../../venue/venueServer.ts';

/** Makes a limit order wait for the mark. `isPosition`: it closes the whole position, whatever its size is by then. */
export interface UserTrigger {
  readonly px: string;
  readonly tpsl: 'tp' | 'sl';
  readonly isMarket: boolean;
  readonly isPosition?: boolean;
  /** The open order that it protects, and waits for. */
  readonly parentOid?: number;
}

export type UserAct =
  /** Without `oid` the venue gives the next one. */
  | {
      readonly act: 'place';
      readonly oid?: number;
      readonly cloid?: string;
      readonly coin: string;
      readonly side: 'A' | 'B';
      readonly px: string;
      readonly sz: string;
      readonly reduceOnly?: boolean;
      readonly tif?: string;
      readonly trigger?: UserTrigger;
    }
  /** At the order's own price and for all that is left, unless said otherwise. The public sees the trade; the shown book stays. */
  | { readonly act: 'fill'; readonly oid: number; readonly px?: string; readonly sz?: string; readonly crossed?: boolean }
  | { readonly act: 'cancel'; readonly oid: number };

/** One step: at a time of the venue, or as soon as the coin's mark is there; steps are done in their order. */
export interface UserStep {
  /** ms after the script was given. */
  readonly afterMs?: number;
  readonly mark?: { readonly coin: string; readonly atLeast?: string; readonly atMost?: string };
  readonly do: UserAct;
}

/** Kinds of account of the venue, as `userAbstraction` names them. */
export const ABSTRACTIONS = ['default', 'disabled', 'dexAbstraction', 'unifiedAccount', 'portfolioMargin'] as const;
export type Abstraction = (typeof ABSTRACTIONS)[number];

/** How an address is from now on; all that it was is forgotten. */
export interface UserState {
  /** Account value less unrealized PnL, USD; may be below 0. */
  readonly balance: string;
  /** Absent: `default`. With `unifiedAccount` and `portfolioMargin` the account value is its spot USDC. */
  readonly abstraction?: Abstraction;
  /** A coin `dex:NAME` is on that builder-deployed dex. */
  readonly positions?: readonly {
    readonly coin: string;
    readonly szi: string;
    readonly entryPx: string;
    readonly leverage: number;
    readonly isolated?: boolean;
  }[];
  readonly spot?: readonly SpotBalance[];
}

/** Coins; `borrowed` and `ltv` are told of portfolio-margin accounts. */
export interface SpotBalance {
  readonly coin: string;
  readonly total: string;
  readonly borrowed?: string;
  readonly ltv?: string;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** An address in lower case; undefined for what is none. */
export function toAddress(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return ADDRESS.test(text) ? text : undefined;
}

/** @throws {ControlError} */
export function requireDecimal(text: unknown, field: string): Decimal {
  if (typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text)) return new Decimal(text);
  throw new ControlError(`${field}: not a decimal text: ${String(text)}`);
}

/** @throws {ControlError} */
export function requirePositive(text: unknown, field: string): Decimal {
  const value = requireDecimal(text, field);
  if (value.gt(0)) return value;
  throw new ControlError(`${field} must be above 0`);
}
