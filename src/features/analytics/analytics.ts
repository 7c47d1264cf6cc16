// GET …/account/analytics: the results of trading over a period. The figures are sums over the same rows that
// userFills, userTwapSliceFills and userFunding show. docs/analytics.md defines each figure.

import { Type } from '@sinclair/typebox';
import type { FillRow, FundingRow, RoundTripRow } from '../../actors/core/messages/historyRows.ts';
import { AccountTerms, toAccountTerms } from '../../api/account/termsFields.ts';
import { readEquityOverPeriod } from '../../api/accounts/equityCurve.ts';
import { inPieces, readRowsSince } from '../../api/accounts/historyPages.ts';
import { askAccount, type Call, pastOf, type Services } from '../../api/accounts/services.ts';
import {
  type AnswerFor,
  CoinName,
  Count,
  exactly,
  IsoTime,
  orNull,
  PlainDecimal,
  WireDecimal,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { EquityFigures } from '../../api/domain/equityFigures.ts';
import { directionOf, TradeFigures, TripFigures } from '../../api/domain/tradeFigures.ts';
import { PERIODS, type Period, PeriodName, startOf } from '../../api/http/listQuery.ts';
import { getOrMake } from '../../shared/domain/groups.ts';

const OrNullDecimal = orNull(WireDecimal);
const OrNullRatio = orNull(PlainDecimal);

const figureFields = {
  net_pnl: described(WireDecimal, 'Gross PnL less fees, plus funding, USD.'),
  gross_pnl: WireDecimal,
  fees: WireDecimal,
  funding: described(WireDecimal, '> 0 = received.'),
  volume: WireDecimal,
  fills: Count,
  trades: described(Count, 'Round trips that ended, from flat to flat; a flip ends one.'),
  wins: described(Count, 'Round trips that brought more than 0, net of fees and funding.'),
  losses: Count,
  win_rate: described(OrNullDecimal, 'A share; null without trades.'),
  profit_factor: described(OrNullDecimal, 'What wins brought by what losses cost, net; null without losses.'),
  average_win: OrNullDecimal,
  average_loss: OrNullDecimal,
  expectancy: described(OrNullDecimal, 'Mean net result of a round trip, USD.'),
  largest_win: WireDecimal,
  largest_loss: WireDecimal,
  average_hold: described(OrNullDecimal, 'Mean seconds from the first fill of a round trip to its last.'),
  fill_trades: described(Count, 'Fills that close, or close part of, a position.'),
  fill_wins: described(Count, 'Of them those with an exact PnL above 0, before fees.'),
  fill_losses: Count,
  fill_win_rate: described(OrNullDecimal, 'A share; null without such fills.'),
  fill_profit_factor: OrNullDecimal,
  fill_average_win: OrNullDecimal,
  fill_average_loss: OrNullDecimal,
  fill_expectancy: OrNullDecimal,
  fill_largest_win: WireDecimal,
  fill_largest_loss: WireDecimal,
  maker_share: OrNullDecimal,
  slippage: described(WireDecimal, 'What taking cost beyond the mid, USD.'),
  slippage_bps: OrNullDecimal,
};
const DirectionFigures = named('TradeFigures', exactly(figureFields));

export const Analytics = named(
  'Analytics',
  exactly({
    period: PeriodName,
    from: IsoTime,
    to: IsoTime,
    complete_since: described(
      orNull(IsoTime),
      'Set when there were more rows than one request reads: what lies before it may be missing in the sums.',
    ),
    account_terms: AccountTerms,
    ...figureFields,
    max_drawdown: described(PlainDecimal, 'A share of the peak.'),
    sharpe_ratio: OrNullRatio,
    sortino_ratio: OrNullRatio,
    exposure_time: described(Count, 'Seconds with a position open.'),
    exposure_share: OrNullRatio,
    long: DirectionFigures,
    short: DirectionFigures,
    by_coin: Type.Array(named('CoinFigures', exactly({ coin: CoinName, ...figureFields }))),
  }),
);

/** @param equity is given the points that the figures are made of, in the same reading */
export async function readAnalytics(
  services: Services,
  call: Call,
  period: Period,
  equity = new EquityFigures(),
): Promise<AnswerFor<typeof Analytics>> {
  const { points, cutMs } = await readEquityOverPeriod(services, call, startOf(period, services.now()));
  const endMs = points.at(-1)?.timeMs ?? services.now();
  const startMs = startOf(period, endMs);
  const figures = new Figures();
  await inPieces(points, (piece) => {
    for (const point of piece) equity.add(point);
  });
  const range = { past: pastOf(call), startMs, endMs };
  const cuts = [
    await readRowsSince(services.history, { ...range, kind: 'fills' }, (rows) => rows.forEach(figures.addFill)),
    await readRowsSince(services.history, { ...range, kind: 'twapFills' }, (rows) => rows.forEach(figures.addFill)),
    await readRowsSince(services.history, { ...range, kind: 'roundTrips' }, (rows) => rows.forEach(figures.addTrip)),
    await readRowsSince(services.history, { ...range, kind: 'funding' }, (rows) => rows.forEach(figures.addFunding)),
    cutMs,
  ].filter((ms) => ms !== undefined);
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  return {
    period,
    from: new Date(period === 'all' ? (points[0]?.timeMs ?? endMs) : endMs - PERIODS[period]).toISOString(),
    to: new Date(endMs).toISOString(),
    /** Set when there were more rows than one request reads: rows before this time may be missing in the sums. */
    complete_since: cuts.length === 0 ? null : new Date(Math.max(...cuts)).toISOString(),
    account_terms: toAccountTerms(summary.terms),
    ...figures.all.tell(),
    ...equity.tell(),
    long: figures.long.tell(),
    short: figures.short.tell(),
    by_coin: [...figures.byCoin].sort(([a], [b]) => (a < b ? -1 : 1)).map(([coin, figures]) => ({ coin, ...figures.tell() })),
  };
}

/** The same sums over all, by direction and by coin. */
class Figures {
  readonly all = new FiguresOfPart();
  readonly long = new FiguresOfPart();
  readonly short = new FiguresOfPart();
  readonly byCoin = new Map<string, FiguresOfPart>();

  readonly addFill = (fill: FillRow): void => {
    for (const { fills } of this.#partsOf(fill.coin, directionOf(fill))) fills.addFill(fill);
  };

  readonly addTrip = (trip: RoundTripRow): void => {
    for (const { trips } of this.#partsOf(trip.coin, trip.direction)) trips.add(trip);
  };

  readonly addFunding = (payment: FundingRow): void => {
    const direction = payment.signedSize.startsWith('-') ? 'short' : 'long';
    for (const { fills } of this.#partsOf(payment.coin, direction)) fills.addFunding(payment);
  };

  #partsOf(coin: string, direction: 'long' | 'short'): readonly FiguresOfPart[] {
    return [this.all, this[direction], getOrMake(this.byCoin, coin, () => new FiguresOfPart())];
  }
}

class FiguresOfPart {
  readonly fills = new TradeFigures();
  readonly trips = new TripFigures();

  tell() {
    return { ...this.fills.tell(), ...this.trips.tell() };
  }
}
