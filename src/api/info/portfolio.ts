// `portfolio`: equity, PnL and volume over eight periods, from the account's own rows. All trading is on perps, so
// the four perp periods repeat the first four.
import { Type } from '@sinclair/typebox';
import { type EquityNow, type EquityPoint, type EquityRows, equityCurve } from '../../actors/core/history/equityCurve.ts';
import type { AccountStateView } from '../../actors/core/messages/accountFigures.ts';
import type { FillRow } from '../../actors/core/messages/historyRows.ts';
import { Decimal, halfUp, toWire, USD_DECIMALS, ZERO } from '../../shared/domain/decimal.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { askAccount, type Call, type Services } from '../accounts/services.ts';
import { EpochMs, exactly, WireDecimal, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { wireNumber } from '../domain/wireText.ts';
import { latestRows } from './accountRows.ts';
import { accountType } from './infoType.ts';

const PERIODS = [
  ['day', 'perpDay', DAY_MS],
  ['week', 'perpWeek', 7 * DAY_MS],
  ['month', 'perpMonth', 30 * DAY_MS],
] as const;

/** Rows of each kind that are read, as many as fills can be read; older rows show only in the totals. */
const ROWS_MAX = 10_000;

const Points = Type.Array(Type.Tuple([EpochMs, WireDecimal]));
const PERIOD_NAMES = ['day', 'week', 'month', 'allTime', 'perpDay', 'perpWeek', 'perpMonth', 'perpAllTime'] as const;

const CONTRACT = {
  about: 'Equity, PnL and volume over eight periods.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: Type.Array(
    Type.Tuple([
      named('PortfolioPeriod', words(...PERIOD_NAMES)),
      named(
        'PortfolioHistory',
        exactly({ accountValueHistory: Points, pnlHistory: Points, vlm: described(WireDecimal, 'Traded, USD.') }),
      ),
    ]),
  ),
};

export const portfolio = accountType('portfolio', CONTRACT, async (_request, call, services) => {
  // The rows are read last, so that they explain everything in the balance that was read before.
  const { summary } = await askAccount(call, services, { kind: 'summary' });
  const { state } = await askAccount(call, services, { kind: 'accountState' });
  const rows = await readRows(call, services, state.timeMs);
  const points = equityCurve(rows, toNow(state, summary.netDepositsUsd));
  const periodSince = (sinceMs: number): PeriodHistory =>
    toPeriodHistory(points, rows.fills, Math.max(sinceMs, summary.openedAtMs));

  const recent = PERIODS.map(([name, perpName, lengthMs]) => ({
    name,
    perpName,
    history: periodSince(state.timeMs - lengthMs),
  }));
  const allTime: PeriodHistory = { ...periodSince(0), vlm: wireNumber(summary.volumeUsd) };
  const periods = [...recent, { name: 'allTime' as const, perpName: 'perpAllTime' as const, history: allTime }];
  return [
    ...periods.map(({ name, history }) => [name, history] as const),
    ...periods.map(({ perpName, history }) => [perpName, history] as const),
  ];
});

function toNow({ timeMs, marginSummary, positions }: AccountStateView, netDepositsUsd: string): EquityNow {
  return {
    timeMs,
    rawUsd: new Decimal(marginSummary.totalRawUsd),
    positions: new Map(
      positions.map(({ coin, signedSize, positionValue }) => [
        coin,
        signedSize.startsWith('-') ? new Decimal(positionValue).neg() : new Decimal(positionValue),
      ]),
    ),
    netDepositsUsd: new Decimal(netDepositsUsd),
  };
}

/** Rows up to a time, oldest first; where there are too many of a kind, all kinds begin where that one does. */
async function readRows(call: Call, services: Services, endMs: number): Promise<EquityRows> {
  const limit = ROWS_MAX;
  const [fills, sliceFills, funding, ledger] = await Promise.all([
    latestRows(call, services, { kind: 'fills', limit }),
    latestRows(call, services, { kind: 'twapFills', limit }),
    latestRows(call, services, { kind: 'funding', limit }),
    latestRows(call, services, { kind: 'ledger', limit }),
  ]);
  const kinds = [fills, sliceFills, funding, ledger];
  const firstMs = Math.max(...kinds.map((rows) => (rows.length < limit ? 0 : (rows.at(-1)?.timeMs ?? 0))));
  const isShown = ({ timeMs }: { readonly timeMs: number }): boolean => timeMs > firstMs && timeMs <= endMs;
  return {
    fills: [...fills, ...sliceFills].filter(isShown).sort((a, b) => a.tid - b.tid),
    funding: funding.filter(isShown).toReversed(),
    ledger: ledger.filter(isShown).toReversed(),
  };
}

// One period of `portfolio`: the part of an equity curve within the period, thinned to few enough points to draw.

/** The two histories share their times; PnL starts at 0. */
interface PeriodHistory {
  readonly accountValueHistory: readonly (readonly [number, string])[];
  readonly pnlHistory: readonly (readonly [number, string])[];
  readonly vlm: string;
}

/** Points of one history, the last one included; the venue has 13 to 76. */
const POINTS_MAX = 60;

/** @param startMs start of the period: it begins with the newest point up to then */
export function toPeriodHistory(points: readonly EquityPoint[], fills: readonly FillRow[], startMs: number): PeriodHistory {
  const before = points.findLast((point) => point.timeMs <= startMs) ?? points[0];
  const within = thin(points.filter((point) => point.timeMs > startMs));
  const shown = before ? [{ ...before, timeMs: Math.max(startMs, before.timeMs) }, ...within] : within;
  const base = shown[0]?.pnl ?? ZERO;
  return {
    accountValueHistory: shown.map(({ timeMs, accountValue }) => [timeMs, toUsd(accountValue)] as const),
    pnlHistory: shown.map(({ timeMs, pnl }) => [timeMs, toUsd(pnl.minus(base))] as const),
    vlm: toUsd(volumeSince(fills, startMs)),
  };
}

function volumeSince(fills: readonly FillRow[], startMs: number): Decimal {
  return fills.reduce(
    (total, { timeMs, price, size }) => (timeMs > startMs ? total.plus(new Decimal(price).times(size)) : total),
    ZERO,
  );
}

/** Evenly fewer points, the last one always kept. */
function thin(points: readonly EquityPoint[]): EquityPoint[] {
  const every = Math.ceil(points.length / (POINTS_MAX - 1));
  return every <= 1 ? [...points] : points.filter((_, i) => (points.length - 1 - i) % every === 0);
}

const toUsd = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
