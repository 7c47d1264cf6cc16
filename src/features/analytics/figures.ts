// What a tearsheet shows: the figures of analytics, and the same equity by months and days, its deepest falls and the newest trades, all
// from one reading of the account's rows. docs/analytics.md defines each figure.
import { Type } from '@sinclair/typebox';
import { type Call, pastOf, type Services } from '../../api/accounts/services.ts';
import {
  Address,
  type AnswerFor,
  Count,
  exactly,
  IsoTime,
  orNull,
  PlainDecimal,
  WireDecimal,
} from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import {
  type EquityDay,
  EquityFigures,
  equityMonths,
  FALLS_MAX,
  ROLLING_DAYS,
  ratioOrNull,
  ratioText,
  rollingSharpe,
} from '../../api/domain/equityFigures.ts';
import { ratioText as ratioOf, usdText } from '../../api/domain/tradeFigures.ts';
import { wireNumber } from '../../api/domain/wireText.ts';
import { type Period, startOf } from '../../api/http/listQuery.ts';
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { Analytics, readAnalytics } from './analytics.ts';
import { ExcursionsAgain, RoundTripItem, toRoundTripItems } from './roundTrips.ts';

/** Rows of each kind, the newest: with them an answer has some 200 kB at most, whatever the account has done. */
export const DAYS_MAX = 750;
export const MONTHS_MAX = 120;
export const TRADES_MAX = 200;

const Day = Type.String({ pattern: '^\\d{4,}-\\d\\d-\\d\\d$', description: 'A UTC day.', examples: ['2026-11-21'] });
const Month = Type.String({ pattern: '^\\d{4,}-\\d\\d$', description: 'A month of UTC.', examples: ['2026-11'] });

const OrNullDecimal = orNull(WireDecimal);

export const Tearsheet = named(
  'Tearsheet',
  exactly({
    account: Address,
    name: described(
      orNull(Type.String()),
      'Of a sub-account; null: the master account, or asked with a key that is bound to one.',
    ),
    figures: Analytics,
    months: Type.Array(
      named(
        'MonthOfEquity',
        exactly({
          month: Month,
          return: described(PlainDecimal, 'Returns of its days, chained.'),
          gain: described(WireDecimal, 'USD; deposits are none.'),
          equity: described(WireDecimal, 'At its end, or now.'),
        }),
      ),
      { maxItems: MONTHS_MAX, description: 'Oldest first; of more than 120 the newest.' },
    ),
    drawdowns: Type.Array(
      named(
        'Drawdown',
        exactly({
          depth: described(PlainDecimal, 'A share of the peak.'),
          peak: described(IsoTime, 'When the equity was last at its peak.'),
          deepest: IsoTime,
          recovered: described(orNull(IsoTime), 'When it was at its peak again; null = not yet.'),
        }),
      ),
      { maxItems: FALLS_MAX, description: 'The deepest falls, deepest first.' },
    ),
    rolling_days: described(Count, 'Daily returns in each `rolling_sharpe`.'),
    days: Type.Array(
      named(
        'DayOfEquity',
        exactly({
          day: Day,
          return: PlainDecimal,
          growth: described(PlainDecimal, 'Return from the beginning of the period to the end of the day.'),
          drawdown: described(PlainDecimal, 'The deepest of the day, a share of the peak.'),
          rolling_sharpe: described(
            orNull(PlainDecimal),
            'Sharpe ratio of this day and those before it; null while there are too few.',
          ),
        }),
      ),
      { maxItems: DAYS_MAX, description: 'Oldest first; of more than 750 the newest.' },
    ),
    trades: Type.Array(RoundTripItem, { maxItems: TRADES_MAX, description: 'The newest round trips that ended, newest first.' }),
    excursions: named(
      'ExcursionFigures',
      exactly({
        trades: described(Count, 'Those of `trades` whose excursions are known: the figures are of them.'),
        average_mfe: OrNullDecimal,
        average_mae: OrNullDecimal,
        average_mfe_share: OrNullDecimal,
        average_mae_share: OrNullDecimal,
        largest_mfe: OrNullDecimal,
        largest_mae: OrNullDecimal,
      }),
    ),
    excursions_again: ExcursionsAgain,
  }),
);

export type TearsheetAnswer = AnswerFor<typeof Tearsheet>;

/** @throws as the gateway and the history do */
export async function readTearsheet(services: Services, call: Call, period: Period): Promise<TearsheetAnswer> {
  const equity = new EquityFigures();
  const figures = await readAnalytics(services, call, period, equity);
  const endMs = Date.parse(figures.to);
  const range = { startMs: startOf(period, endMs), endMs, limit: TRADES_MAX, newestFirst: true };
  const newest = await services.history.between(pastOf(call), 'roundTrips', range);
  const { items: trades, againAt } = await toRoundTripItems(services, call, newest);
  const days = equity.days();
  const { accountId: account, master } = call.caller;
  const known = account === master ? [] : await services.ownAccounts.list(call);
  return {
    account,
    name: known.find(({ address }) => address === account)?.name ?? null,
    figures,
    months: equityMonths(days)
      .slice(-MONTHS_MAX)
      .map(({ month, share, gainUsd, accountValue }) => ({
        ...{ month, return: ratioText(share), gain: wireNumber(gainUsd.toFixed()), equity: wireNumber(accountValue) },
      })),
    drawdowns: equity.falls().map(({ depth, peakMs, deepestMs, endMs }) => ({
      ...{ depth: ratioText(depth), peak: time(peakMs), deepest: time(deepestMs) },
      recovered: endMs === undefined ? null : time(endMs),
    })),
    rolling_days: ROLLING_DAYS,
    days: toDays(days),
    trades,
    excursions: toExcursionFigures(trades),
    excursions_again: againAt,
  };
}

function toExcursionFigures(trades: TearsheetAnswer['trades']): TearsheetAnswer['excursions'] {
  const of = (field: 'mfe' | 'mae' | 'mfe_share' | 'mae_share'): Decimal[] =>
    trades.flatMap(({ [field]: text }) => (text === null ? [] : [new Decimal(text)]));
  const mean = (values: readonly Decimal[]): string | null =>
    ratioOf(
      values.reduce((sum, value) => sum.plus(value), ZERO),
      new Decimal(values.length),
    );
  const [mfes, maes] = [of('mfe'), of('mae')];
  return {
    trades: mfes.length,
    average_mfe: mean(mfes),
    average_mae: mean(maes),
    average_mfe_share: mean(of('mfe_share')),
    average_mae_share: mean(of('mae_share')),
    largest_mfe: mfes.length === 0 ? null : usdText(Decimal.max(...mfes)),
    largest_mae: maes.length === 0 ? null : usdText(Decimal.min(...maes)),
  };
}

function toDays(days: readonly EquityDay[]): TearsheetAnswer['days'] {
  const sharpes = rollingSharpe(days.map(({ share }) => share));
  return days
    .map(({ day, share, growth, deepest }, i) => ({
      ...{ day, return: ratioText(share), growth: ratioText(growth), drawdown: ratioText(deepest) },
      rolling_sharpe: ratioOrNull(sharpes[i]),
    }))
    .slice(-DAYS_MAX);
}

const time = (timeMs: number): string => new Date(timeMs).toISOString();
