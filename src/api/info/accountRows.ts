// Rows of the caller's history, typed by their kind: those in the actor's memory and those in MongoDB together.
import type { HistoryKind, HistoryRows, NumberedRow } from '../../actors/core/messages/historyRows.ts';
import { rememberFor } from '../../shared/domain/memo.ts';
import { type Call, pastOf, type Services } from '../accounts/services.ts';

/** The newest rows of a kind, newest first. */
export async function latestRows<K extends HistoryKind>(
  call: Call,
  services: Services,
  want: { kind: K; limit: number },
): Promise<readonly HistoryRows[K][]> {
  return toRows(await services.history.latest(pastOf(call), want.kind, want.limit), want.kind);
}

/** Rows of a kind by time, both ends inclusive; the oldest `limit` of them, or the newest when `newestFirst`. */
export async function rowsBetween<K extends HistoryKind>(
  call: Call,
  services: Services,
  want: { kind: K; startMs: number; endMs: number; limit: number; newestFirst?: boolean },
): Promise<readonly HistoryRows[K][]> {
  const { kind, ...range } = want;
  if (range.startMs > range.endMs) return [];
  return toRows(await services.history.between(pastOf(call), kind, range), kind);
}

/** Rows of a kind by time, ascending: the oldest from `startMs` on, or the newest of all when no start is given. */
export async function ascendingRows<K extends HistoryKind>(
  call: Call,
  services: Services,
  want: { kind: K; startMs: number | null | undefined; endMs: number | null | undefined; limit: number },
): Promise<readonly HistoryRows[K][]> {
  const { kind, startMs, endMs, limit } = want;
  const newestFirst = startMs == null;
  const range = { startMs: startMs ?? 0, endMs: endMs ?? services.now(), limit, newestFirst };
  const rows = await rowsBetween(call, services, { kind, ...range });
  return newestFirst ? rows.toReversed() : rows;
}

/** All rows are of the kind. Those kept beside a view are the same list again. */
const toRows = <K extends HistoryKind>(rows: readonly NumberedRow[], _kind: K): readonly HistoryRows[K][] =>
  rowsIn(rows) as readonly HistoryRows[K][];

const rowsIn = rememberFor((rows: readonly NumberedRow[]): readonly unknown[] => rows.map(({ row }) => row));
