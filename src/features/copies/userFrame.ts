// What the venue tells of the fills and orders of one address: frames of its WebSocket, and answers about fills. Whatever has another form is
// unreadable; then the address is asked about as a whole.
import { type Static, Type } from '@sinclair/typebox';
import type { SourceFill } from '../../actors/core/messages/importReport.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { Coin, decimalOf, Num, Price, reader, Side, SPOT_COIN, Whole } from './venueAddress.ts';

/** As many as the venue gives at a time. */
export const FILLS_OF_ANSWER = 2000;

const Fill = Type.Object({
  coin: Coin,
  px: Price,
  sz: Price,
  side: Side,
  time: Whole,
  startPosition: Num,
  oid: Whole,
  crossed: Type.Boolean(),
  fee: Num,
  tid: Whole,
});
/** Fills of spot have prices and sizes of other forms, such as dust without a price: only what they are is read. */
const AnyFills = Type.Array(Type.Object({ coin: Coin, time: Whole }), { maxItems: FILLS_OF_ANSWER });
const Fills = Type.Array(Fill);
const UserFills = Type.Object({ user: Type.String(), fills: AnyFills });
const Updates = Type.Array(Type.Object({ order: Type.Object({ coin: Coin, oid: Whole }), status: Type.String() }), {
  maxItems: 10_000,
});

const readAnyFills = reader('userFillsByTime', AnyFills);
const readFills = reader('fills', Fills);
const readUserFills = reader('userFills', UserFills);
const readUpdates = reader('orderUpdates', Updates);

/** What a frame told: a fill, or that an order is open, filled, or over in another way. */
export type HeardOfAddress =
  | { readonly type: 'fill'; readonly fill: SourceFill }
  | { readonly type: 'order'; readonly oid: number; readonly state: 'open' | 'filled' | 'over' };

/**
 * Nothing for frames that tell of no fill and no order. `orderUpdates` does not name the address.
 * @param address in lower case
 * @returns undefined for a frame about another address
 * @throws {UnreadableAnswer} or SyntaxError
 */
export function readUserFrame(text: string, address: string): HeardOfAddress[] | undefined {
  const { channel, data } = JSON.parse(text) as { channel?: unknown; data?: unknown };
  if (channel === 'userFills') {
    const { user, fills } = readUserFills(data);
    return user.toLowerCase() === address ? toFills(fills).map((fill) => ({ type: 'fill', fill })) : undefined;
  }
  if (channel !== 'orderUpdates') return [];
  return readUpdates(data).flatMap(({ order: { coin, oid }, status }): HeardOfAddress[] => {
    // A trigger that has fired goes on as the same order.
    if (SPOT_COIN.test(coin) || status === 'triggered') return [];
    return [{ type: 'order', oid, state: status === 'open' || status === 'filled' ? status : 'over' }];
  });
}

interface FillsAnswer {
  /** Of all fills that the venue has told, and the time of the newest; undefined = there is none. */
  readonly count: number;
  readonly lastMs: number | undefined;
  /** Of perpetuals, oldest first. */
  readonly fills: readonly SourceFill[];
}

/** @throws {UnreadableAnswer} */
export function readFillsAnswer(answer: unknown): FillsAnswer {
  const read = readAnyFills(answer);
  const lastMs = read.length === 0 ? undefined : Math.max(...read.map(({ time }) => time));
  return { count: read.length, lastMs, fills: toFills(read) };
}

/** Of perpetuals, oldest first, in whatever order they come. @throws {UnreadableAnswer} */
const toFills = (fills: readonly { readonly coin: string }[]): SourceFill[] =>
  readFills(fills.filter(({ coin }) => !SPOT_COIN.test(coin)))
    .map(toFill)
    .sort((a, b) => a.timeMs - b.timeMs || a.tid - b.tid);

function toFill({ tid, oid, coin, side, px, sz, fee, time, crossed, startPosition }: Static<typeof Fill>): SourceFill {
  const isBuy = side === 'B';
  return {
    ...{ tid, oid, coin, side: isBuy ? 'buy' : 'sell', timeMs: time },
    ...{ price: decimalOf(px), size: decimalOf(sz), fee: decimalOf(fee) },
    liquidity: crossed ? 'taker' : 'maker',
    ...(closes({ start: new Decimal(decimalOf(startPosition)), size: new Decimal(decimalOf(sz)), isBuy }) && {
      closes: true as const,
    }),
  };
}

/** It makes the position smaller, and no new one on the other side. */
const closes = ({ start, size, isBuy }: { readonly start: Decimal; readonly size: Decimal; readonly isBuy: boolean }): boolean =>
  !start.isZero() && start.isNeg() === isBuy && size.lte(start.abs());
