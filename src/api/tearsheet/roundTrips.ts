// GET …/account/round-trips: positions from flat to flat, newest first. Each is one row of the history, written at the fill that ended it,
// so a page and the figures of a period cost what they return, however many fills there were.
import { Type } from '@sinclair/typebox';
import type { NumberedRow, RoundTripRow } from '../../actors/domain/messages/historyRows.ts';
import { Decimal, halfUp, toWire } from '../../shared/domain/decimal.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import { type Call, pastOf, type Services } from '../accounts/services.ts';
import { type AnswerFor, CoinName, Count, Cursor, exactly, IsoTime, TradeId, WireDecimal } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { readCursor, writeCursor } from '../dashboard/cursor.ts';
import { PositionSide } from '../dashboard/overview.ts';
import type { ListQuery } from '../dashboard/query.ts';
import { everyRow, scan } from '../dashboard/scan.ts';
import { usdText } from '../domain/tradeFigures.ts';
import { netOf } from '../domain/tripFigures.ts';

/** Decimals of an average price. */
const PRICE_DECIMALS = 8;

export const RoundTripItem = named(
  'RoundTrip',
  exactly({
    coin: CoinName,
    direction: PositionSide,
    opened: described(IsoTime, 'Its first fill; of an import: when the position was taken over.'),
    closed: IsoTime,
    whole: described(
      Type.Boolean(),
      'False: it began before the history that is kept, in a fork’s source or at an imported address; its sums are those that are known here.',
    ),
    fills: Count,
    size: described(WireDecimal, 'Largest size held, coins.'),
    entry_price: described(WireDecimal, 'Mean price of its opening fills.'),
    exit_price: described(WireDecimal, 'Mean price at which it was closed.'),
    pnl: described(WireDecimal, 'Of closing, before fees and funding, USD.'),
    fees: WireDecimal,
    funding: described(WireDecimal, 'Paid while it was open; > 0 = received.'),
    net_pnl: WireDecimal,
    tid: described(TradeId, 'The fill that ended it.'),
    ended_by: described(Type.String({ examples: ['Close Long'] }), 'Direction of that fill.'),
  }),
);

export const RoundTripPage = named('RoundTripPage', exactly({ items: Type.Array(RoundTripItem), next_cursor: Cursor }));

export async function readRoundTrips(services: Services, call: Call, query: ListQuery) {
  const { limit, cursor, coin, startMs, endMs } = query;
  const list = ['round-trips', call.caller.accountId, coin ?? null, startMs, endMs ?? null];
  const [before] = cursor === undefined ? [] : readCursor(list, cursor);
  const isWanted = coin === undefined ? everyRow : (row: NumberedRow) => row.kind === 'roundTrips' && row.row.coin === coin;
  const { rows, next } = await scan(
    services.history,
    { past: pastOf(call), kind: 'roundTrips', before, startMs, endMs, limit },
    isWanted,
  );
  const begins = await keptSince(services, call);
  return {
    items: rows.flatMap((row) => (row.kind === 'roundTrips' ? toRoundTripItem(row.row, begins) : [])),
    next_cursor: next === null ? null : writeCursor(list, [next]),
  };
}

/** The first entry of which all fills are kept. */
export async function keptSince(services: Services, call: Call): Promise<number> {
  const { firstSeq, lastGoneSeqs } = await askAccount(call, services, { kind: 'entries', afterSeq: Number.MAX_SAFE_INTEGER });
  return Math.max(1, firstSeq, lastGoneSeqs.fills + 1, lastGoneSeqs.twapFills + 1);
}

/** @param keptSince the first entry of which all fills are kept */
export function toRoundTripItem(trip: RoundTripRow, keptSince: number): AnswerFor<typeof RoundTripItem> {
  const openedSize = new Decimal(trip.openedSize);
  const gain = trip.direction === 'long' ? new Decimal(trip.pnlUsd) : new Decimal(trip.pnlUsd).neg();
  const price = (usd: Decimal): string => toWire(halfUp(usd.div(openedSize), PRICE_DECIMALS));
  const openedUsd = new Decimal(trip.openedUsd);
  return {
    coin: trip.coin,
    direction: trip.direction,
    opened: new Date(trip.openedAtMs).toISOString(),
    closed: new Date(trip.timeMs).toISOString(),
    whole: trip.openedSeq >= keptSince,
    fills: trip.fills,
    size: toWire(new Decimal(trip.sizeMax)),
    entry_price: price(openedUsd),
    exit_price: price(openedUsd.plus(gain)),
    pnl: usdText(new Decimal(trip.pnlUsd)),
    fees: usdText(new Decimal(trip.feesUsd)),
    funding: usdText(new Decimal(trip.fundingUsd)),
    net_pnl: usdText(netOf(trip)),
    tid: trip.tid,
    ended_by: trip.endedBy,
  };
}
