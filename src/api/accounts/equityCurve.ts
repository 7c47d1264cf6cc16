// GET …/account/equity-curve: account value and balance over a period, exact at every fill, deposit and payment, with
// the samples of the job in between, thinned to few enough points to draw.
import { Type } from '@sinclair/typebox';
import { createLTTB } from 'downsample';
import type { EquityRow } from '../../actors/core/messages/historyRows.ts';
import { type AnswerFor, exactly, IsoTime, orNull, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { wireNumber } from '../domain/wireText.ts';
import { INTERVALS, type Period, startOf } from '../http/listQuery.ts';
import { inPieces, readRowsSince } from './historyPages.ts';
import { askAccount, type Call, pastOf, type Services } from './services.ts';

const POINTS_MAX = 1000;
/** Stretches of which the extremes are kept before the points are thinned: several for each point that is shown. */
const STRETCHES = 4 * POINTS_MAX;
/** Largest-triangle-three-buckets: keeps the first and last points and the most visible ones between. */
const thin = createLTTB<EquityRow>({ x: ({ timeMs }) => timeMs, y: ({ accountValue }) => Number(accountValue) });

export const EquityCurve = named(
  'EquityCurve',
  exactly({
    complete_since: described(orNull(IsoTime), 'Set when there were more notes than one request reads: the curve begins there.'),
    points: Type.Array(
      named(
        'EquityPoint',
        exactly({
          time: IsoTime,
          equity: WireDecimal,
          balance: WireDecimal,
          net_deposits: described(WireDecimal, 'Deposits less withdrawals up to then: no gain of trading.'),
        }),
      ),
      {
        maxItems: POINTS_MAX,
      },
    ),
  }),
);

/** @param interval without one every point is shown as long as there are not too many */
export async function readEquityCurve(
  services: Services,
  call: Call,
  { period, interval }: { period: Period; interval: keyof typeof INTERVALS | undefined },
): Promise<AnswerFor<typeof EquityCurve>> {
  return await readCurveSince(services, call, { startMs: startOf(period, services.now()), interval });
}

/** The same from a time on. */
export async function readCurveSince(
  services: Pick<Services, 'gateway' | 'history'>,
  call: Call,
  { startMs, interval }: { startMs: number; interval?: keyof typeof INTERVALS | undefined },
): Promise<AnswerFor<typeof EquityCurve>> {
  const { points, cutMs } = await readEquityOverPeriod(services, call, startMs);
  const wanted = interval === undefined ? points : lastOfEach(points, INTERVALS[interval]);
  const shown: readonly EquityRow[] = wanted.length <= POINTS_MAX ? wanted : Array.from(thin(await extremes(wanted), POINTS_MAX));
  return {
    complete_since: cutMs === undefined ? null : new Date(cutMs).toISOString(),
    points: shown.map(({ timeMs, accountValue, balance, netDepositsUsd }) => ({
      time: new Date(timeMs).toISOString(),
      equity: wireNumber(accountValue),
      balance: wireNumber(balance),
      net_deposits: wireNumber(netDepositsUsd),
    })),
  };
}

/** Of very many points the lowest and the highest of each stretch, with both ends: those that can be seen in a drawing. */
async function extremes(points: readonly EquityRow[]): Promise<EquityRow[]> {
  const length = Math.ceil(points.length / STRETCHES);
  if (length <= 2) return [...points];
  const kept = new Set<EquityRow>();
  let stretch: { lowest: number; highest: number; low: EquityRow; high: EquityRow; left: number } | undefined;
  const end = (): void => {
    if (stretch === undefined) return;
    const { low, high } = stretch;
    for (const point of low.timeMs <= high.timeMs ? [low, high] : [high, low]) kept.add(point);
    stretch = undefined;
  };
  const add = (point: EquityRow): void => {
    const value = Number(point.accountValue);
    stretch ??= { lowest: value, highest: value, low: point, high: point, left: length };
    if (value < stretch.lowest) Object.assign(stretch, { lowest: value, low: point });
    if (value > stretch.highest) Object.assign(stretch, { highest: value, high: point });
    stretch.left -= 1;
    if (stretch.left === 0) end();
  };
  const [first, last] = [points[0], points.at(-1)];
  if (first !== undefined) kept.add(first);
  await inPieces(points.slice(1, -1), (piece) => piece.forEach(add));
  end();
  if (last !== undefined) kept.add(last);
  return [...kept];
}

/** The first point, and the last one of each interval, each at its own time. */
function lastOfEach(points: readonly EquityRow[], intervalMs: number): EquityRow[] {
  const intervalOf = ({ timeMs }: EquityRow): number => Math.floor(timeMs / intervalMs);
  return points.filter((point, i) => {
    const next = points[i + 1];
    return i === 0 || next === undefined || intervalOf(next) !== intervalOf(point);
  });
}

interface EquityOverPeriod {
  /** Ascending; the last one is now. */
  readonly points: readonly EquityRow[];
  /** Set when the period has more points than are read: the time of the first one read. */
  readonly cutMs: number | undefined;
}

/** The equity of an account over a period: the newest recorded point before it, every point in it, and the current value. */
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
