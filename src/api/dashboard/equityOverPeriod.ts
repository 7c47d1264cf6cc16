// The equity of an account over a period: the newest recorded point before it, every point in it, and the current
// value.
import type { EquityRow } from '../../actors/core/messages/historyRows.ts';
import { askAccount } from '../accounts/accountQuery.ts';
import { type Call, pastOf, type Services } from '../accounts/services.ts';
import { readRowsSince } from './readRowsSince.ts';

export interface EquityOverPeriod {
  /** Ascending; the last one is now. */
  readonly points: readonly EquityRow[];
  /** Set when the period has more points than are read: the time of the first one read. */
  readonly cutMs: number | undefined;
}

export async function readEquityOverPeriod(
  services: Pick<Services, 'gateway' | 'history'>,
  call: Call,
  startMs: number,
): Promise<EquityOverPeriod> {
  const { history } = services;
  const past = pastOf(call);
  const { overview } = await askAccount(call, services, { kind: 'overview' });
  const nowMs = overview.state.timeMs;
  const notes: EquityRow[] = [];
  const cutMs = await readRowsSince(history, { past, kind: 'equity', startMs, endMs: nowMs }, (rows) => notes.push(...rows));
  const [before] =
    cutMs === undefined && startMs > 0
      ? await history.between(past, 'equity', { startMs: 0, endMs: startMs - 1, limit: 1, newestFirst: true })
      : [];
  const now: EquityRow = {
    timeMs: nowMs,
    accountValue: overview.state.marginSummary.accountValue,
    balance: overview.balance,
    netDepositsUsd: overview.netDepositsUsd,
    openPositions: overview.state.positions.length,
  };
  const first = before?.kind === 'equity' ? [{ ...before.row, timeMs: startMs }] : [];
  return { points: [...first, ...notes.reverse(), now], cutMs };
}
