// The content of one journal entry for the private channels: its history rows. They are the same whether the entry
// comes from the journal or, long after, from MongoDB, so a message that is sent again equals the missed one.

import { rowsEndedByReset, rowsOfKinds } from '../../../actors/core/history/rowsOfEvents.ts';
import { HISTORY_KINDS, type HistoryKind } from '../../../actors/core/messages/command.ts';
import type { AccountEntry } from '../../../actors/core/messages/entry.ts';
import type { HistoryRows, NumberedRow } from '../../../actors/core/messages/historyRows.ts';

export interface AccountUpdate {
  /** Sequence number of the entry. */
  readonly seq: number;
  /** Rows of each kind in the order of their numbers. */
  readonly rows: readonly NumberedRow[];
  /** What a reset has ended, whose rows no history keeps. An entry with some is told from the journal alone. */
  readonly ended: readonly NumberedRow[];
}

const ALL_KINDS: ReadonlySet<HistoryKind> = new Set(HISTORY_KINDS);

export const toUpdate = (entry: AccountEntry, kinds = ALL_KINDS): AccountUpdate => ({
  seq: entry.seq,
  rows: rowsOfKinds(entry, kinds),
  ended: rowsEndedByReset(entry).filter(({ kind }) => kinds.has(kind)),
});

/** Those that a reset has ended come first. */
export const rowsOfKind = <K extends HistoryKind>({ rows, ended }: AccountUpdate, kind: K): HistoryRows[K][] => [
  ...ofKind(ended, kind),
  ...ofKind(rows, kind),
];

export const ofKind = <K extends HistoryKind>(rows: readonly NumberedRow[], kind: K): HistoryRows[K][] =>
  rows.flatMap((numbered) => (numbered.kind === kind ? [numbered.row as HistoryRows[K]] : []));
