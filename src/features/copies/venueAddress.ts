// What the venue's public `info` tells of an address, read into our words. All of it comes from outside: whatever has not the form
// that the venue's documentation gives it makes the whole answer unreadable, so no half of an address is ever taken.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import type { LeftOut, SourceOpening, SourceOrder, SourcePosition } from '../../actors/core/messages/importReport.ts';
import { Decimal } from '../../shared/domain/decimal.ts';

/** Positions and orders of an address, children counted; the venue allows fewer positions and as many orders. */
const POSITIONS_MAX = 1000;
const ORDERS_MAX = 5000;
/** Orders of one import: as many as one action may place. The newest of more are left out. */
const ORDERS_TAKEN_MAX = 1000;
/** Spot, and outcomes, which are traded as spot: an index of the list of pairs, a pair of names, or a side of an outcome. */
export const SPOT_COIN = /^[@#]|\//;
/** Builder-deployed dexs that the venue may list. */
const DEXS_MAX = 256;
/** Every decimal of so many significant digits is another float64. */
const FLOAT_DIGITS = 15;

/** What the venue tells may be so far ahead of the exchange's clock. */
export const CLOCK_AHEAD_MS_MAX = 60_000;

export const Num = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,20})?$' });
const Amount = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,20})?$' });
export const Price = Type.String({ pattern: '^(?!0*(\\.0*)?$)\\d{1,20}(\\.\\d{1,20})?$' });
export const Coin = Type.String({ minLength: 1, maxLength: 64 });
export const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const Side = Type.Union([Type.Literal('A'), Type.Literal('B')]);

const Position = Type.Object({
  coin: Coin,
  szi: Num,
  entryPx: Type.Union([Price, Type.Null()]),
  positionValue: Amount,
  leverage: Type.Union([
    Type.Object({ type: Type.Literal('cross'), value: Type.Integer({ minimum: 1, maximum: 1000 }) }),
    Type.Object({ type: Type.Literal('isolated'), value: Type.Integer({ minimum: 1, maximum: 1000 }), rawUsd: Num }),
  ]),
});

const State = Type.Object({
  marginSummary: Type.Object({ accountValue: Num }),
  assetPositions: Type.Array(Type.Object({ position: Position }), { maxItems: POSITIONS_MAX }),
  time: Whole,
});

const Spot = Type.Object({
  balances: Type.Array(Type.Object({ coin: Coin, total: Num, borrowed: Type.Optional(Num), ltv: Type.Optional(Num) }), {
    maxItems: ORDERS_MAX,
  }),
});

/** The main dex is null. */
const Dexs = Type.Array(Type.Union([Type.Null(), Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) })]), {
  maxItems: DEXS_MAX,
});

const order = {
  oid: Whole,
  coin: Coin,
  side: Side,
  limitPx: Amount,
  sz: Amount,
  origSz: Type.Optional(Amount),
  timestamp: Whole,
  reduceOnly: Type.Boolean(),
  isTrigger: Type.Boolean(),
  triggerPx: Amount,
  isPositionTpsl: Type.Boolean(),
  orderType: Type.String({ maxLength: 64 }),
  tif: Type.Optional(Type.Union([Type.String({ maxLength: 32 }), Type.Null()])),
  cloid: Type.Optional(Type.Union([Type.String({ pattern: '^0x[0-9a-fA-F]{32}$' }), Type.Null()])),
};
const Child = Type.Object(order);
const Order = Type.Object({ ...order, children: Type.Array(Child, { maxItems: 2 }) });
const Orders = Type.Array(Order, { maxItems: ORDERS_MAX });
const Status = Type.Object({
  status: Type.String(),
  order: Type.Optional(Type.Object({ order: Order, status: Type.String() })),
});

/** An answer that has not the form that it should have. */
export class UnreadableAnswer extends Error {
  override name = 'UnreadableAnswer';
}

const ajv = new Ajv({ strict: false });
const readState = reader('clearinghouseState', State);
const readOrders = reader('frontendOpenOrders', Orders);
const readStatus = reader('orderStatus', Status);
const readSpot = reader('spotClearinghouseState', Spot);
const readDexs = reader('perpDexs', Dexs);
const readMode = reader('userAbstraction', Type.String({ maxLength: 64 }));

/**
 * The number that the venue means. Its sums are float64, printed with up to ten decimals, so that 1161681.9 is told as `1161681.8999999999`.
 * A text of more than 15 significant digits is read as the shortest decimal that is the same float64 (`Number::toString` of ECMAScript), any other
 * as it stands.
 */
export const decimalOf = (text: string): string =>
  new Decimal(text).precision() > FLOAT_DIGITS ? new Decimal(Number(text)).toFixed() : text;

export interface AddressState {
  readonly accountValue: string;
  readonly takenAtMs: number;
  readonly positions: readonly SourcePosition[];
}

/** @throws {UnreadableAnswer} */
export function toState(answer: unknown): AddressState {
  const { marginSummary, assetPositions, time } = readState(answer);
  const positions = assetPositions.flatMap(({ position }) => toPosition(position));
  if (new Set(positions.map(({ coin }) => coin)).size < positions.length)
    throw new UnreadableAnswer('clearinghouseState has a coin twice');
  return { accountValue: decimalOf(marginSummary.accountValue), takenAtMs: time, positions };
}

/** None for a coin that has a leverage and no position. */
function toPosition({ coin, szi, entryPx, positionValue, leverage }: Static<typeof Position>): SourcePosition[] {
  if (isZero(szi)) return [];
  if (entryPx === null) throw new UnreadableAnswer(`clearinghouseState has no entry price of ${coin}`);
  const rawUsd = leverage.type === 'isolated' ? decimalOf(leverage.rawUsd) : '0';
  const margin = { marginMode: leverage.type, leverage: leverage.value, rawUsd };
  const [signedSize, entryPrice, value] = [decimalOf(szi), decimalOf(entryPx), decimalOf(positionValue)];
  return [{ coin, signedSize, entryPrice, value, ...margin }];
}

/** Orders oldest first, and those that are none of perpetuals, or too many. @throws {UnreadableAnswer} */
export function toOrders(answer: unknown): { readonly orders: readonly SourceOrder[]; readonly left: readonly LeftOut[] } {
  const read = readOrders(answer);
  const children = new Set(read.flatMap((each) => each.children.map(({ oid }) => oid)));
  const oldestFirst = read.filter(({ oid }) => !children.has(oid)).sort((a, b) => a.timestamp - b.timestamp || a.oid - b.oid);
  const orders: SourceOrder[] = [];
  const left: LeftOut[] = [];
  let count = 0;
  const leave = (each: Static<typeof Order>, reason: LeftOut['reason'], text: string): void => {
    for (const { coin, oid } of [each, ...each.children]) left.push({ kind: 'order', coin, oid, reason, text });
  };
  for (const each of oldestFirst) {
    if (SPOT_COIN.test(each.coin)) leave(each, 'spot', 'Spot is not traded here.');
    else if (count + 1 + each.children.length > ORDERS_TAKEN_MAX)
      leave(each, 'too_many', `${ORDERS_TAKEN_MAX} older orders were taken.`);
    else {
      count += 1 + each.children.length;
      orders.push({ ...toOrder(each), ...(each.children.length > 0 && { children: each.children.map(toOrder) }) });
    }
  }
  return { orders, left };
}

/** All that is open, as an account that follows the address is told; `open`: numbers of all, spot and children too. @throws {UnreadableAnswer} */
export function toOpenings(answer: unknown): { readonly openings: readonly SourceOpening[]; readonly open: readonly number[] } {
  const read = readOrders(answer);
  const byOid = new Map(read.map((each) => [each.oid, each]));
  const openings = toOrders(answer).orders.flatMap((order) => {
    const each = byOid.get(order.oid);
    return each === undefined ? [] : [toOpening(each, order)];
  });
  return { openings, open: [...new Set(read.flatMap((each) => [each.oid, ...each.children.map(({ oid }) => oid)]))] };
}

/** The same of one order that was asked for; undefined when it is not open, or none of perpetuals. @throws {UnreadableAnswer} */
export function toAskedOpening(answer: unknown): SourceOpening | undefined {
  const { order: found } = readStatus(answer);
  if (found?.status !== 'open' || SPOT_COIN.test(found.order.coin)) return undefined;
  const { order: each } = found;
  const children = each.children.map(toOrder);
  return toOpening(each, { ...toOrder(each), ...(children.length > 0 && { children }) });
}

const toOpening = ({ sz, origSz = sz, timestamp }: Static<typeof Order>, order: SourceOrder): SourceOpening => ({
  ...{ order, originalSize: decimalOf(origSz), placedAtMs: timestamp },
});

function toOrder(each: Static<typeof Child>): SourceOrder {
  const { oid, coin, side, limitPx, sz, reduceOnly, cloid, tif = null, isTrigger } = each;
  return {
    ...{ oid, coin, side: side === 'B' ? 'buy' : 'sell', limitPrice: decimalOf(limitPx), size: decimalOf(sz), reduceOnly },
    ...(cloid != null && { cloid: cloid.toLowerCase() }),
    timeInForce: tif === null || tif === 'Gtc' ? 'gtc' : tif === 'Alo' ? 'alo' : 'never',
    ...(isTrigger && { trigger: toTrigger(each) }),
  };
}

const toTrigger = ({ triggerPx, orderType, isPositionTpsl }: Static<typeof Child>): NonNullable<SourceOrder['trigger']> => ({
  price: decimalOf(triggerPx),
  tpsl: orderType.startsWith('Take Profit') ? 'tp' : 'sl',
  isMarket: orderType.endsWith('Market'),
  ...(isPositionTpsl && { isPosition: true }),
});

/** Positions of an address on a dex that is not the main one: nobody trades them here. @throws {UnreadableAnswer} */
export const toDexLeft = (answer: unknown): LeftOut[] =>
  toState(answer).positions.map(({ coin }) => ({
    ...{ kind: 'position', coin, reason: 'unlisted', text: 'Coins of builder-deployed dexs are not traded here.' },
  }));

/** Names of the builder-deployed dexs. @throws {UnreadableAnswer} */
export const toDexs = (answer: unknown): string[] => readDexs(answer).flatMap((dex) => (dex === null ? [] : [dex.name]));

/** Where the money behind positions of the main dex is. */
export type Collateral = 'perp' | 'spot';

const COLLATERAL: Readonly<Record<string, Collateral>> = {
  ...{ default: 'perp', disabled: 'perp', dexAbstraction: 'perp' },
  ...{ unifiedAccount: 'spot', portfolioMargin: 'spot' },
};

/** @returns undefined for a kind of account that is not known here @throws {UnreadableAnswer} */
export function toCollateral(answer: unknown): { readonly mode: string; readonly collateral: Collateral | undefined } {
  const mode = readMode(answer);
  return { mode, collateral: Object.hasOwn(COLLATERAL, mode) ? COLLATERAL[mode] : undefined };
}

interface SpotState {
  /** Of an account whose collateral is spot: its USDC, which has the unrealized PnL of its positions in it. */
  readonly accountValue?: string;
  /** Balances that nobody trades here. */
  readonly left: readonly LeftOut[];
  /** Why its collateral has no value here. */
  readonly unvalued?: string;
}

/** @throws {UnreadableAnswer} */
export function toSpot(answer: unknown, collateral: Collateral): SpotState {
  const balances = readSpot(answer).balances.filter(({ total, borrowed = '0' }) => !isZero(total) || !isZero(borrowed));
  const isMoney = (coin: string): boolean => collateral === 'spot' && coin === 'USDC';
  const left = balances
    .filter(({ coin }) => !isMoney(coin))
    .map(({ coin }): LeftOut => ({ kind: 'balance', coin, reason: 'spot', text: 'Spot is not traded here.' }));
  if (collateral === 'perp') return { left };
  const usdc = balances.find(({ coin }) => isMoney(coin))?.total ?? '0';
  const owed = balances.find(({ borrowed = '0' }) => !isZero(borrowed));
  const lent = balances.find(({ coin, ltv = '0' }) => !isMoney(coin) && !isZero(ltv));
  const unvalued = owed !== undefined ? `it has borrowed ${owed.coin}` : lent && `${lent.coin} is part of its collateral`;
  return { accountValue: decimalOf(usdc), left, ...(unvalued !== undefined && { unvalued }) };
}

const isZero = (text: string): boolean => /^-?0*(\.0*)?$/.test(text);

/** Compiled with the first answer: a start does not wait for it. */
export function reader<T extends TSchema>(name: string, schema: T): (answer: unknown) => Static<T> {
  let isOf: ValidateFunction<Static<T>> | undefined;
  return (answer) => {
    isOf ??= ajv.compile<Static<T>>(schema);
    if (isOf(answer)) return answer;
    const [fault] = isOf.errors ?? [];
    throw new UnreadableAnswer(`${name}${fault?.instancePath ?? ''} ${fault?.message ?? 'has another form'}`);
  };
}
