// The content of one journal entry for the private channels: its history rows. They are the same whether the entry
// comes from the journal or, long after, from MongoDB, so a message that is sent again equals the missed one.

import { rowsOf } from '../../../actors/domain/history/rowsOfEvents.ts';
import type { HistoryKind } from '../../../actors/domain/messages/command.ts';
import type { AccountEntry } from '../../../actors/domain/messages/entry.ts';
import type { HistoryRows, NumberedRow } from '../../../actors/domain/messages/historyRows.ts';

export interface AccountUpdate {
  /** Sequence number of the entry. */
  readonly seq: number;
  /** Rows of each kind in the order of their numbers. */
  readonly rows: readonly NumberedRow[];
}

export const toUpdate = (entry: AccountEntry): AccountUpdate => ({ seq: entry.seq, rows: rowsOf(entry) });

export const rowsOfKind = <K extends HistoryKind>({ rows }: AccountUpdate, kind: K): HistoryRows[K][] =>
  rows.flatMap((numbered) => (numbered.kind === kind ? [numbered.row as HistoryRows[K]] : []));
