// Round trips: positions from flat to flat, newest first, and the sums over a range of time. Each is one row of the history, written at the fill that ended it,
// so a page and the figures of a period cost what they return, however many fills there were; excursions are worked out once.
import { Type } from '@sinclair/typebox';
import { netOf, sumsOf } from '../../actors/core/margin/roundTrip.ts';
import type { NumberedRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import type { NumberedTrip } from '../../api/accounts/excursionStore.ts';
import { everyRow, readCursor, scan, writeCursor } from '../../api/accounts/historyPages.ts';
import { askAccount, type Call, pastOf, type Services } from '../../api/accounts/services.ts';
import {
  type AnswerFor,
  CoinName,
  Count,
  Cursor,
  exactly,
  IsoTime,
  orNull,
  TradeId,
  WireDecimal,
  words,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { PositionSide } from '../../api/contract/venueForms.ts';
import { RESOLUTIONS } from '../../api/domain/excursion.ts';
import { between, both, type RangeOfTrips, ratioText, tellTrips, usdText } from '../../api/domain/tradeFigures.ts';
import { type ListQuery, listParameters } from '../../api/http/listQuery.ts';
import { Decimal, halfUp, toWire } from '../../shared/domain/decimal.ts';
import { readExcursions, type ToldExcursion } from './excursions.ts';

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
    mfe: described(
      orNull(WireDecimal),
      'Maximum favorable excursion: the best result on its way, before fees and funding, USD; at least 0. null: see `excursion_missing`.',
    ),
    mae: described(orNull(WireDecimal), 'Maximum adverse excursion: the worst result on its way; at most 0.'),
    mfe_share: described(orNull(WireDecimal), '`mfe` by the notional of its opening fills.'),
    mae_share: orNull(WireDecimal),
    resolution: described(
      orNull(named('ExcursionResolution', words(...RESOLUTIONS, 'fills'))),
      'Length of the candles between its fills whose prices were seen; `fills`: none lay between them, so the prices of its fills alone.',
    ),
    excursion_missing: described(
      orNull(named('ExcursionMissing', words('later', 'not_whole', 'too_many_fills', 'no_candles'))),
      'Why it has no excursion; `later`: not worked out yet, see `excursions_again`.',
    ),
  }),
);

/** Of the answers that have round trips. */
export const ExcursionsAgain = described(
  orNull(IsoTime),
  'When excursions that are missing for now (`later`) may be asked for; null: none are.',
);

export const RoundTripPage = named(
  'RoundTripPage',
  exactly({ items: Type.Array(RoundTripItem), next_cursor: Cursor, excursions_again: ExcursionsAgain }),
);

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
  const { items, againAt } = await toRoundTripItems(services, call, rows);
  return { items, next_cursor: next === null ? null : writeCursor(list, [next]), excursions_again: againAt };
}

/** Trips as lists show them. @throws as the gateway and the history do */
export async function toRoundTripItems(services: Services, call: Call, rows: readonly NumberedRow[]) {
  const trips = rows.flatMap((row): NumberedTrip[] => (row.kind === 'roundTrips' ? [row] : []));
  const begins = await keptSince(services, call);
  const excursions = await readExcursions(services, call, { trips, keptSince: begins });
  const { againMs } = excursions;
  return {
    items: trips.map(({ row }) => ({ ...toRoundTripItem(row, begins), ...toExcursion(row, excursions.of(row)) })),
    againAt: againMs === undefined ? null : new Date(againMs).toISOString(),
  };
}

/** The first entry of which all fills are kept. */
async function keptSince(services: Services, call: Call): Promise<number> {
  const { firstSeq, lastGoneSeqs } = await askAccount(call, services, { kind: 'entries', afterSeq: Number.MAX_SAFE_INTEGER });
  return Math.max(1, firstSeq, lastGoneSeqs.fills + 1, lastGoneSeqs.twapFills + 1);
}

type ExcursionFields = 'mfe' | 'mae' | 'mfe_share' | 'mae_share' | 'resolution' | 'excursion_missing';

function toExcursion({ openedUsd }: RoundTripRow, told: ToldExcursion): Pick<AnswerFor<typeof RoundTripItem>, ExcursionFields> {
  if ('missing' in told)
    return { mfe: null, mae: null, mfe_share: null, mae_share: null, resolution: null, excursion_missing: told.missing };
  const [mfe, mae, opened] = [new Decimal(told.mfeUsd), new Decimal(told.maeUsd), new Decimal(openedUsd)];
  return {
    mfe: usdText(mfe),
    mae: usdText(mae),
    mfe_share: ratioText(mfe, opened),
    mae_share: ratioText(mae, opened),
    resolution: told.resolution,
    excursion_missing: null,
  };
}

/** @param keptSince the first entry of which all fills are kept */
function toRoundTripItem(trip: RoundTripRow, keptSince: number): Omit<AnswerFor<typeof RoundTripItem>, ExcursionFields> {
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

/**
 * The sums over the round trips of a range of time, from two rows of the history: each row has the sums up to its trip, so the newest and the
 * oldest of the range are enough, however many lie between.
 * @throws as the history does
 */
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
