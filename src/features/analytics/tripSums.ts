// GET …/account/round-trips/figures: what the round trips of a range of time come to, from two rows of the history: each row has the sums
// up to its trip, so the newest and the oldest of the range are enough, however many lie between.
import { Type } from '@sinclair/typebox';
import { sumsOf } from '../../actors/core/margin/roundTrip.ts';
import type { NumberedRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { type Call, pastOf, type Services } from '../../api/accounts/services.ts';
import { type AnswerFor, Count, exactly, IsoTime, orNull, WireDecimal } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { between, both, type RangeOfTrips, tellTrips, usdText } from '../../api/domain/tradeFigures.ts';
import { listParameters } from '../../api/http/listQuery.ts';

const OrNullDecimal = orNull(WireDecimal);

const fields = {
  net_pnl: described(WireDecimal, 'Of all of them, net of fees and funding, USD.'),
  fees: WireDecimal,
  funding: described(WireDecimal, 'Paid while they were open; > 0 = received.'),
  trades: described(Count, 'Round trips that ended in the range.'),
  wins: described(Count, 'Of them those that brought more than 0, net.'),
  losses: Count,
  win_rate: described(OrNullDecimal, 'A share; null without trades.'),
  profit_factor: described(OrNullDecimal, 'What wins brought by what losses cost, net; null without losses.'),
  average_win: OrNullDecimal,
  average_loss: OrNullDecimal,
  expectancy: described(OrNullDecimal, 'Mean net result, USD.'),
  average_hold: described(OrNullDecimal, 'Mean seconds from the first fill of a round trip to its last.'),
};
const SummedTripsOfDirection = named('SummedTrips', exactly(fields));

export const RoundTripFigures = named(
  'RoundTripFigures',
  exactly({
    first_closed: described(orNull(IsoTime), 'When the first of them ended; null without any.'),
    last_closed: orNull(IsoTime),
    ...fields,
    long: SummedTripsOfDirection,
    short: SummedTripsOfDirection,
  }),
);

export const tripSumsQuery = Type.Object({ start_time: listParameters.start_time, end_time: listParameters.end_time });

/** @throws as the history does */
export async function readRoundTripFigures(
  { history }: Services,
  call: Call,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number | undefined },
): Promise<AnswerFor<typeof RoundTripFigures>> {
  const past = pastOf(call);
  const range = { startMs, ...(endMs !== undefined && { endMs }), limit: 1 };
  const [last] = (await history.between(past, 'roundTrips', { ...range, newestFirst: true })).flatMap(tripIn);
  const oldest = last && (await history.between(past, 'roundTrips', { ...range, endMs: last.timeMs }));
  const [first] = (oldest ?? []).flatMap(tripIn);
  const [long, short] = [rangeOf('long', first, last), rangeOf('short', first, last)];
  return {
    first_closed: timeText(first),
    last_closed: timeText(last),
    ...tell(both(long, short)),
    long: tell(long),
    short: tell(short),
  };
}

const tripIn = (row: NumberedRow): RoundTripRow[] => (row.kind === 'roundTrips' ? [row.row] : []);

/** From the first to the last, both included. */
function rangeOf(direction: 'long' | 'short', first: RoundTripRow | undefined, last: RoundTripRow | undefined): RangeOfTrips {
  const after = between(first?.sums[direction], last?.sums[direction]);
  return first?.direction === direction ? both(between(undefined, sumsOf(first)), after) : after;
}

const tell = (range: RangeOfTrips) => ({
  net_pnl: usdText(range.wonUsd.plus(range.lostUsd)),
  fees: usdText(range.feesUsd),
  funding: usdText(range.fundingUsd),
  ...tellTrips(range),
});

const timeText = (trip: RoundTripRow | undefined): string | null =>
  trip === undefined ? null : new Date(trip.timeMs).toISOString();
