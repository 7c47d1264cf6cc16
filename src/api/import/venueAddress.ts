// What the venue's public `info` tells of an address, read into our words. All of it comes from outside: whatever has not the form
// that the venue's documentation gives it makes the whole answer unreadable, so no half of an address is ever taken.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import type { LeftOut, SourceOrder, SourcePosition } from '../../actors/domain/messages/answers/importReport.ts';
import type { SourceOpening } from '../../actors/domain/messages/answers/sourceFacts.ts';

/** Positions and orders of an address, children counted; the venue allows fewer positions and as many orders. */
const POSITIONS_MAX = 1000;
const ORDERS_MAX = 5000;
/** Orders of one import: as many as one action may place. The newest of more are left out. */
const ORDERS_TAKEN_MAX = 1000;
/** Spot, and outcomes, which are traded as spot: an index of the list of pairs, a pair of names, or a side of an outcome. */
export const SPOT_COIN = /^[@#]|\//;

/** What the venue tells may be so far ahead of the exchange's clock. */
export const CLOCK_AHEAD_MS_MAX = 60_000;

const Num = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,20})?$' });
const Amount = Type.String({ pattern: '^\\d{1,20}(\\.\\d{1,20})?$' });
const Price = Type.String({ pattern: '^(?!0*(\\.0*)?$)\\d{1,20}(\\.\\d{1,20})?$' });
const Coin = Type.String({ minLength: 1, maxLength: 64 });
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

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
  balances: Type.Array(Type.Object({ coin: Coin, total: Num }), { maxItems: ORDERS_MAX }),
});

const order = {
  oid: Whole,
  coin: Coin,
  side: Type.Union([Type.Literal('A'), Type.Literal('B')]),
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
  return { accountValue: marginSummary.accountValue, takenAtMs: time, positions };
}

/** None for a coin that has a leverage and no position. */
function toPosition({ coin, szi, entryPx, positionValue, leverage }: Static<typeof Position>): SourcePosition[] {
  if (/^-?0*(\.0*)?$/.test(szi)) return [];
  if (entryPx === null) throw new UnreadableAnswer(`clearinghouseState has no entry price of ${coin}`);
  const rawUsd = leverage.type === 'isolated' ? leverage.rawUsd : '0';
  const margin = { marginMode: leverage.type, leverage: leverage.value, rawUsd };
  return [{ coin, signedSize: szi, entryPrice: entryPx, value: positionValue, ...margin }];
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
  ...{ order, originalSize: origSz, placedAtMs: timestamp },
});

function toOrder(each: Static<typeof Child>): SourceOrder {
  const { oid, coin, side, limitPx, sz, reduceOnly, cloid, tif = null, isTrigger } = each;
  return {
    ...{ oid, coin, side: side === 'B' ? 'buy' : 'sell', limitPrice: limitPx, size: sz, reduceOnly },
    ...(cloid != null && { cloid: cloid.toLowerCase() }),
    timeInForce: tif === null || tif === 'Gtc' ? 'gtc' : tif === 'Alo' ? 'alo' : 'never',
    ...(isTrigger && { trigger: toTrigger(each) }),
  };
}

const toTrigger = ({ triggerPx, orderType, isPositionTpsl }: Static<typeof Child>): NonNullable<SourceOrder['trigger']> => ({
  price: triggerPx,
  tpsl: orderType.startsWith('Take Profit') ? 'tp' : 'sl',
  isMarket: orderType.endsWith('Market'),
  ...(isPositionTpsl && { isPosition: true }),
});

/** Balances of spot, which nobody trades here. USDC there is no margin of perpetuals. @throws {UnreadableAnswer} */
export const toSpotLeft = (answer: unknown): LeftOut[] =>
  readSpot(answer)
    .balances.filter(({ total }) => !/^-?0*(\.0*)?$/.test(total))
    .map(({ coin }) => ({ kind: 'balance', coin, reason: 'spot', text: 'Spot is not traded here.' }));

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
