// What the venue tells of the fills and orders of one address: frames of its WebSocket, and answers about fills. Whatever has another form is
// unreadable; then the address is asked about as a whole.
import { type Static, Type } from '@sinclair/typebox';
import type { SourceFill } from '../../actors/domain/messages/answers/sourceFacts.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { reader, SPOT_COIN } from '../import/venueAddress.ts';

const Num = Type.String({ pattern: '^-?\\d{1,20}(\\.\\d{1,20})?$' });
const Positive = Type.String({ pattern: '^(?!0*(\\.0*)?$)\\d{1,20}(\\.\\d{1,20})?$' });
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Coin = Type.String({ minLength: 1, maxLength: 64 });
/** As many as the venue gives at a time. */
export const FILLS_OF_ANSWER = 2000;

const Fill = Type.Object({
  coin: Coin,
  px: Positive,
  sz: Positive,
  side: Type.Union([Type.Literal('A'), Type.Literal('B')]),
  time: Whole,
  startPosition: Num,
  oid: Whole,
  crossed: Type.Boolean(),
  fee: Num,
  tid: Whole,
});
const Fills = Type.Array(Fill, { maxItems: FILLS_OF_ANSWER });
const UserFills = Type.Object({ user: Type.String(), fills: Fills });
const Updates = Type.Array(Type.Object({ order: Type.Object({ coin: Coin, oid: Whole }), status: Type.String() }), {
  maxItems: 10_000,
});

const readFills = reader('userFillsByTime', Fills);
const readUserFills = reader('userFills', UserFills);
const readUpdates = reader('orderUpdates', Updates);

/** What a frame told: a fill, or that an order is open, filled, or over in another way. */
export type Heard =
  | { readonly type: 'fill'; readonly fill: SourceFill }
  | { readonly type: 'order'; readonly oid: number; readonly state: 'open' | 'filled' | 'over' };

/**
 * Nothing for frames that tell of no fill and no order. `orderUpdates` does not name the address.
 * @param address in lower case
 * @returns undefined for a frame about another address
 * @throws {UnreadableAnswer} or SyntaxError
 */
export function readUserFrame(text: string, address: string): Heard[] | undefined {
  const { channel, data } = JSON.parse(text) as { channel?: unknown; data?: unknown };
  if (channel === 'userFills') {
    const { user, fills } = readUserFills(data);
    return user.toLowerCase() === address ? toFills(fills).map((fill) => ({ type: 'fill', fill })) : undefined;
  }
  if (channel !== 'orderUpdates') return [];
  return readUpdates(data).flatMap(({ order: { coin, oid }, status }): Heard[] => {
    // A trigger that has fired goes on as the same order.
    if (SPOT_COIN.test(coin) || status === 'triggered') return [];
    return [{ type: 'order', oid, state: status === 'open' || status === 'filled' ? status : 'over' }];
  });
}

/** Of perpetuals. @throws {UnreadableAnswer} */
export const readFillsAnswer = (answer: unknown): { readonly count: number; readonly fills: readonly SourceFill[] } => {
  const read = readFills(answer);
  return { count: read.length, fills: toFills(read) };
};

const toFills = (fills: readonly Static<typeof Fill>[]): SourceFill[] =>
  fills
    .filter(({ coin }) => !SPOT_COIN.test(coin))
    .map(({ tid, oid, coin, side, px, sz, fee, time, crossed, startPosition }) => ({
      ...{ tid, oid, coin, side: side === 'B' ? 'buy' : 'sell', price: px, size: sz, fee, timeMs: time },
      liquidity: crossed ? 'taker' : 'maker',
      ...(closes({ start: new Decimal(startPosition), size: new Decimal(sz), isBuy: side === 'B' }) && { closes: true as const }),
    }));

/** It makes the position smaller, and no new one on the other side. */
const closes = ({ start, size, isBuy }: { readonly start: Decimal; readonly size: Decimal; readonly isBuy: boolean }): boolean =>
  !start.isZero() && start.isNeg() === isBuy && size.lte(start.abs());
