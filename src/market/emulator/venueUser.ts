// One address of the emulated venue: its money, positions, open orders and fills. It does only what a control call or its script says;
// the market does nothing to it. Sums are exact, so a test can compare them with its own.
import { cut6, Decimal, quotient, ZERO } from '../../shared/domain/decimal.ts';
import { feeOf } from '../../shared/domain/fees.ts';
import { ControlError } from '../venue/venueServer.ts';

/** As many as the venue keeps open and gives in an answer. */
const ORDERS_MAX = 5000;
const FILLS_MAX = 10_000;

export interface UserPosition {
  readonly coin: string;
  /** Coins, long > 0. */
  readonly signedSize: Decimal;
  /** USD per coin; a quotient to 40 decimals. */
  readonly entryPrice: Decimal;
  readonly leverage: number;
  readonly marginMode: 'cross' | 'isolated';
  /** Cash inside an isolated position, USD. */
  readonly rawUsd: Decimal;
}

export interface UserOrder {
  readonly oid: number;
  readonly cloid: string | null;
  readonly coin: string;
  readonly side: 'A' | 'B';
  readonly limitPrice: Decimal;
  /** Left to fill. */
  readonly size: Decimal;
  readonly originalSize: Decimal;
  readonly reduceOnly: boolean;
  readonly timeInForce: string | null;
  readonly placedAtMs: number;
  readonly trigger: UserTrigger | undefined;
}

export interface UserFill {
  readonly order: UserOrder;
  readonly price: Decimal;
  readonly size: Decimal;
  readonly timeMs: number;
  readonly tid: number;
  readonly startPosition: Decimal;
  readonly direction: string;
  readonly closedPnl: Decimal;
  readonly fee: Decimal;
  readonly isTaker: boolean;
}

/** A change of an order, for `orderUpdates`. */
export interface OrderChange {
  readonly order: UserOrder;
  readonly status: 'open' | 'filled' | 'canceled';
  readonly timeMs: number;
}

export class VenueUser {
  /** Lower case. */
  readonly address: string;
  /** Cash and margins with every position at its cost, USD. */
  balance: Decimal;
  spot: readonly SpotBalance[] = [];
  abstraction: Abstraction = 'default';
  readonly positions = new Map<string, UserPosition>();
  /** Leverage of coins, used when a position is opened. */
  readonly leverages = new Map<string, Pick<UserPosition, 'leverage' | 'marginMode'>>();
  readonly orders = new Map<number, UserOrder>();
  /** Oldest first. */
  readonly fills: UserFill[] = [];

  constructor(address: string, balance: Decimal) {
    this.address = address;
    this.balance = balance;
  }

  /** Its money is in spot, and backs its positions from there. */
  get isUnified(): boolean {
    return this.abstraction === 'unifiedAccount' || this.abstraction === 'portfolioMargin';
  }

  /** @returns undefined when it has as many open orders as the venue allows, or one with this number */
  place(order: UserOrder): OrderChange | undefined {
    if (this.orders.size >= ORDERS_MAX || this.orders.has(order.oid)) return undefined;
    this.orders.set(order.oid, order);
    return { order, status: 'open', timeMs: order.placedAtMs };
  }

  /** @returns undefined for an order that is not open */
  cancel(oid: number, timeMs: number): OrderChange | undefined {
    const order = this.orders.get(oid);
    if (order === undefined) return undefined;
    this.orders.delete(oid);
    return { order, status: 'canceled', timeMs };
  }

  /** Fills an open order by no more than is left of it. */
  fill(
    { oid, price, size }: { readonly oid: number; readonly price: Decimal; readonly size: Decimal },
    { tid, timeMs, isTaker }: Pick<UserFill, 'tid' | 'timeMs' | 'isTaker'>,
  ): { readonly fill: UserFill; readonly change: OrderChange } | undefined {
    const open = this.orders.get(oid);
    if (open === undefined || size.gt(open.size)) return undefined;
    const order = { ...open, size: open.size.minus(size) };
    if (order.size.isZero()) this.orders.delete(oid);
    else this.orders.set(oid, order);
    const fee = feeOf(price.times(size), isTaker ? 'taker' : 'maker');
    const moved = this.#move(order.coin, order.side === 'B' ? size : size.neg(), price);
    this.balance = this.balance.plus(moved.closedPnl).minus(fee);
    const fill = { order, price, size, timeMs, tid, fee, isTaker, ...moved };
    this.fills.push(fill);
    if (this.fills.length > FILLS_MAX) this.fills.shift();
    return { fill, change: { order, status: order.size.isZero() ? 'filled' : 'open', timeMs } };
  }

  setPosition(position: Omit<UserPosition, 'rawUsd'>): void {
    this.leverages.set(position.coin, position);
    if (position.signedSize.isZero()) this.positions.delete(position.coin);
    else this.positions.set(position.coin, withMargin(position));
  }

  #move(coin: string, by: Decimal, price: Decimal): Pick<UserFill, 'startPosition' | 'direction' | 'closedPnl'> {
    const before = this.positions.get(coin);
    const start = before?.signedSize ?? ZERO;
    const after = start.plus(by);
    const isOpening = start.isZero() || start.isNeg() === by.isNeg();
    const closed = isOpening ? ZERO : Decimal.min(start.abs(), by.abs());
    const perCoin = before === undefined ? ZERO : price.minus(before.entryPrice);
    const closedPnl = perCoin.times(start.isNeg() ? closed.neg() : closed);
    const setting = this.leverages.get(coin) ?? { leverage: 20, marginMode: 'cross' as const };
    this.setPosition({ coin, ...setting, signedSize: after, entryPrice: entryAfter(before, { by, after, price }) });
    return { startPosition: start, closedPnl, direction: directionOf(start, by, after) };
  }
}

/** The main dex has no name. */
export const dexOf = (coin: string): string => (coin.includes(':') ? (coin.split(':')[0] ?? '') : '');

/** Margin of an isolated position is its notional at entry by its leverage. */
function withMargin(position: Omit<UserPosition, 'rawUsd'>): UserPosition {
  const { signedSize, entryPrice, leverage, marginMode } = position;
  const cost = signedSize.times(entryPrice);
  const rawUsd = marginMode === 'cross' ? ZERO : cut6(quotient(cost.abs(), leverage)).minus(cost);
  return { ...position, rawUsd };
}

function entryAfter(
  before: UserPosition | undefined,
  { by, after, price }: { readonly by: Decimal; readonly after: Decimal; readonly price: Decimal },
): Decimal {
  if (before === undefined || before.signedSize.isNeg() !== after.isNeg()) return price;
  if (before.signedSize.isNeg() !== by.isNeg()) return before.entryPrice;
  const cost = before.signedSize.times(before.entryPrice).plus(by.times(price));
  return quotient(cost, after);
}

function directionOf(start: Decimal, by: Decimal, after: Decimal): string {
  const sideOf = (size: Decimal): string => (size.isNeg() ? 'Short' : 'Long');
  if (start.isZero() || start.isNeg() === by.isNeg()) return `Open ${sideOf(by)}`;
  return after.isZero() || after.isNeg() === start.isNeg() ? `Close ${sideOf(start)}` : `${sideOf(start)} > ${sideOf(after)}`;
}

// The acts of a scripted address, as a control call or a step of its script names them. This file finds every fault of such an act.

/** Makes a limit order wait for the mark. `isPosition`: it closes the whole position, whatever its size is by then. */
interface UserTrigger {
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
type Abstraction = (typeof ABSTRACTIONS)[number];

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
interface SpotBalance {
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
