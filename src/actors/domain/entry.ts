// The journal's unit: all that one command, wake-up or market event did to one account. The journal is the truth;
// an account is the fold of its entries, and `applyEntry` is the only way to fold one.

import type { HistoryKind } from './command.ts';
import type { AccountEvent } from './event.ts';

export interface AccountEntry {
  readonly accountId: string;
  /** Sequence number of this entry within the account, from 1, without holes. */
  readonly seq: number;
  readonly timeMs: number;
  /** The command that caused it, if one did: its API node's incarnation and its counter there. */
  readonly command?: CommandId;
  readonly events: readonly AccountEvent[];
  /** Number of the first history row of each kind that the entry's events give; kinds without a row are absent. */
  readonly firstRows: Readonly<Partial<Record<HistoryKind, number>>>;
}

/** `incarnation` names one life of one API process; `counter` rises on its connection to the shard. */
export interface CommandId {
  readonly incarnation: string;
  readonly counter: number;
}
