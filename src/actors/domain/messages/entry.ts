// The journal's unit: all that one command, wake-up or market event did to one account. The journal is the truth;
// an account is the fold of its entries, and `applyEntry` is the only way to fold one.

import type { Account } from '../account/account.ts';
import type { EquityNote } from '../history/equityNote.ts';
import { countRows, firstRowsOf } from '../history/rowsOfEvents.ts';
import { HISTORY_KINDS, type HistoryKind } from './command.ts';
import type { AccountEvent } from './event.ts';

export interface AccountEntry {
  readonly accountId: string;
  /** Sequence number of this entry within the account, from 1, without holes. */
  readonly seq: number;
  readonly timeMs: number;
  /** The command that caused it, if one did: its API node's incarnation and its counter there. */
  readonly command?: CommandId;
  /** Orders, cancels and modifies that the command is counted for (`userRateLimit`); absent = 0. */
  readonly requests?: number;
  readonly events: readonly AccountEvent[];
  /** What the account is worth after it; absent where neither money nor positions moved, and in entries of older versions. */
  readonly equity?: EquityNote;
  /** Number of the first history row of each kind that the entry's events give; kinds without a row are absent. */
  readonly firstRows: Readonly<Partial<Record<HistoryKind, number>>>;
}

/** `incarnation` names one life of one API process; `counter` rises on its connection to the shard. */
export interface CommandId {
  readonly incarnation: string;
  readonly counter: number;
}

/** What makes an entry: a command (with its id, its `requests` and perhaps no event), or a market event. */
export interface EntryCause {
  readonly timeMs: number;
  readonly command?: CommandId | undefined;
  readonly requests?: number | undefined;
  readonly events: readonly AccountEvent[];
}

/** An entry that its maker may still add to. */
export interface NewEntry extends AccountEntry {
  equity?: EquityNote;
  readonly firstRows: Partial<Record<HistoryKind, number>>;
}

/**
 * Makes the entry that these events become: next sequence number, and where their history rows start.
 * @param rows how many rows the events give, where they are counted already
 */
export function toEntry(account: Account, cause: EntryCause, rows = countRows(cause)): NewEntry {
  const { timeMs, command, requests, events } = cause;
  const next = firstRowsOf(events, account.rowCounts);
  const firstRows: Partial<Record<HistoryKind, number>> = {};
  for (const kind of HISTORY_KINDS) if (rows[kind] > 0) firstRows[kind] = next[kind];
  return {
    accountId: account.id,
    seq: account.seq + 1,
    timeMs,
    ...(command && { command }),
    ...(requests && { requests }),
    events,
    firstRows,
  };
}
