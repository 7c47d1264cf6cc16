// The journal's unit: all that one command, wake-up or market event did to one account. The journal is the truth; an
// account is the fold of its entries, and `applyEntry` is the only way to fold one.
import type { HistoryKind } from './command.ts';
import type { AccountEvent } from './event.ts';
import type { EquityNote } from './historyRows.ts';

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
  /** The account value after it; absent where neither money nor positions moved. */
  readonly equity?: EquityNote;
  /** Number of the first history row of each kind that the entry's events give; kinds without a row are absent. */
  readonly firstRows: Readonly<Partial<Record<HistoryKind, number>>>;
}

/** An entry with the commit that made it true. */
export interface JournaledEntry {
  readonly commit: number;
  readonly entry: AccountEntry;
  /** As the newest generation has it, where it is at hand. */
  readonly text?: string;
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
