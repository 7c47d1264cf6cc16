// GET …/account/analytics: the results of trading over a period. The figures are sums over the same rows that
// userFills, userTwapSliceFills and userFunding show. docs/analytics.md defines each figure.

import { Type } from '@sinclair/typebox';
import type { FillRow, FundingRow } from '../../actors/domain/messages/historyRows.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import { type Call, pastOf, type Services } from '../accounts/services.ts';
import {
  type AnswerFor,
  CoinName,
  Count,
  exactly,
  IsoTime,
  orNull,
  PlainDecimal,
  WireDecimal,
} from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { EquityFigures } from '../domain/equityFigures.ts';
import { directionOf, TradeFigures } from '../domain/tradeFigures.ts';
import { AccountTerms, toAccountTerms } from '../terms/termsFields.ts';
import { readEquityOverPeriod } from './equityOverPeriod.ts';
import { inPieces } from './inPieces.ts';
import { PERIODS, type Period, PeriodName, startOf } from './query.ts';
import { readRowsSince } from './readRowsSince.ts';

const OrNullDecimal = orNull(WireDecimal);
const OrNullRatio = orNull(PlainDecimal);

const figureFields = {
  net_pnl: described(WireDecimal, 'Gross PnL less fees, plus funding, USD.'),
  gross_pnl: WireDecimal,
  fees: WireDecimal,
  funding: described(WireDecimal, '> 0 = received.'),
  volume: WireDecimal,
  fills: Count,
  trades: described(Count, 'Fills that close, or close part of, a position.'),
  wins: Count,
  losses: Count,
  win_rate: described(OrNullDecimal, 'A share; null without trades.'),
  profit_factor: OrNullDecimal,
  average_win: OrNullDecimal,
  average_loss: OrNullDecimal,
  expectancy: OrNullDecimal,
  largest_win: WireDecimal,
  largest_loss: WireDecimal,
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

/** What a reader of the same rows adds up beside the figures. */
interface Beside {
  readonly equity?: EquityFigures;
  readonly onFill?: (fill: FillRow) => void;
}

/** @param beside is given what the figures are made of, in the same reading */
export async function readAnalytics(
  services: Services,
  call: Call,
  period: Period,
  { equity = new EquityFigures(), onFill }: Beside = {},
): Promise<AnswerFor<typeof Analytics>> {
  const { points, cutMs } = await readEquityOverPeriod(services, call, startOf(period, services.now()));
  const endMs = points.at(-1)?.timeMs ?? services.now();
  const startMs = startOf(period, endMs);
  const figures = new Figures();
  const addFill = (fill: FillRow): void => {
    figures.addFill(fill);
    onFill?.(fill);
  };
  await inPieces(points, (piece) => {
    for (const point of piece) equity.add(point);
  });
  const range = { past: pastOf(call), startMs, endMs };
  const cuts = [
    await readRowsSince(services.history, { ...range, kind: 'fills' }, (rows) => rows.forEach(addFill)),
    await readRowsSince(services.history, { ...range, kind: 'twapFills' }, (rows) => rows.forEach(addFill)),
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
  readonly all = new TradeFigures();
  readonly long = new TradeFigures();
  readonly short = new TradeFigures();
  readonly byCoin = new Map<string, TradeFigures>();

  readonly addFill = (fill: FillRow): void => {
    for (const figures of [this.all, this[directionOf(fill)], this.#of(fill.coin)]) figures.addFill(fill);
  };

  readonly addFunding = (payment: FundingRow): void => {
    const direction = payment.signedSize.startsWith('-') ? 'short' : 'long';
    for (const figures of [this.all, this[direction], this.#of(payment.coin)]) figures.addFunding(payment);
  };

  #of(coin: string): TradeFigures {
    const figures = this.byCoin.get(coin) ?? new TradeFigures();
    this.byCoin.set(coin, figures);
    return figures;
  }
}
