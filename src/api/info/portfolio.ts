// `portfolio`: equity, PnL and volume over eight periods, from the account's own rows. All trading is on perps, so the
// four perp periods repeat the first four.
import { Decimal, ZERO } from '../../shared/domain/decimal.ts';
import { askAccount } from '../accountQuery.ts';
import type { Call, Services } from '../call.ts';
import { wireNumber } from '../wireText.ts';
import { latestRows } from './accountRows.ts';
import { type EquityNow, type EquityStep, type PeriodHistory, toPeriodHistory } from './equityHistory.ts';
import { accountType } from './infoType.ts';

const DAY_MS = 86_400_000;
const PERIODS = [
  ['day', 'perpDay', DAY_MS],
  ['week', 'perpWeek', 7 * DAY_MS],
  ['month', 'perpMonth', 30 * DAY_MS],
] as const;

/** Rows of each kind that are looked at; older ones show only in the totals. */
const ROWS_MAX = 2000;

export const portfolio = accountType('portfolio', {}, async (_request, call, services) => {
  const [{ summary }, { state }, steps] = await Promise.all([
    askAccount(call, services, { kind: 'summary' }),
    askAccount(call, services, { kind: 'accountState' }),
    readSteps(call, services),
  ]);
  const now: EquityNow = {
    timeMs: services.now(),
    openedAtMs: summary.openedAtMs,
    accountValue: new Decimal(state.marginSummary.accountValue),
    unrealizedPnl: state.positions.reduce((total, position) => total.plus(position.unrealizedPnl), ZERO),
  };
  const recent = PERIODS.map(([name, perpName, lengthMs]) => {
    const history = toPeriodHistory(steps, now, now.timeMs - lengthMs);
    return { name, perpName, history };
  });
  const allTime: PeriodHistory = { ...toPeriodHistory(steps, now, 0), vlm: wireNumber(summary.volumeUsd) };
  const periods = [...recent, { name: 'allTime', perpName: 'perpAllTime', history: allTime }];
  return [...periods.map(({ name, history }) => [name, history]), ...periods.map(({ perpName, history }) => [perpName, history])];
});

/** All that changed the cash, oldest first. */
async function readSteps(call: Call, services: Services): Promise<EquityStep[]> {
  const [fills, sliceFills, payments, ledger] = await Promise.all([
    latestRows(call, services, { kind: 'fills', limit: ROWS_MAX }),
    latestRows(call, services, { kind: 'twapFills', limit: ROWS_MAX }),
    latestRows(call, services, { kind: 'funding', limit: ROWS_MAX }),
    latestRows(call, services, { kind: 'ledger', limit: ROWS_MAX }),
  ]);
  const steps: EquityStep[] = [
    ...[...fills, ...sliceFills].map(({ timeMs, closedPnl, fee, price, size }) => ({
      timeMs,
      pnl: new Decimal(closedPnl).minus(fee),
      deposit: ZERO,
      notional: new Decimal(price).times(size),
    })),
    ...payments.map(({ timeMs, usd }) => ({ timeMs, pnl: new Decimal(usd), deposit: ZERO, notional: ZERO })),
    ...ledger.map(({ timeMs, usd }) => ({ timeMs, pnl: ZERO, deposit: new Decimal(usd), notional: ZERO })),
  ];
  return steps.sort((a, b) => a.timeMs - b.timeMs);
}
