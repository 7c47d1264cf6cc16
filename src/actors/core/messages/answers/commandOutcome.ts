// What a command that may change an account is answered. Plain JSON, in the project's own names; the API translates it to the wire.

import type { ImportReport } from './importReport.ts';

/** What became of one order of a batch. Texts are the venue's. */
export type OrderOutcome =
  | { readonly type: 'resting'; readonly oid: number; readonly cloid?: string }
  | {
      readonly type: 'filled';
      readonly oid: number;
      readonly cloid?: string;
      readonly totalSize: string;
      readonly averagePrice: string;
    }
  /** A child that waits for its parent, or for the mark. */
  | { readonly type: 'waitingForFill' | 'waitingForTrigger'; readonly oid: number; readonly cloid?: string }
  | { readonly type: 'error'; readonly text: string };

export type CancelOutcome = { readonly type: 'success' } | { readonly type: 'error'; readonly text: string };

export type CommandOutcome =
  | { readonly type: 'accountOpened' }
  | { readonly type: 'orders'; readonly orders: readonly OrderOutcome[] }
  | { readonly type: 'cancels'; readonly cancels: readonly CancelOutcome[] }
  | { readonly type: 'twapRunning'; readonly twapId: number }
  | { readonly type: 'twapRefused'; readonly text: string }
  | { readonly type: 'done' }
  /** It waits for its latency: the question `delayedAction` tells its outcome from `dueMs` on. */
  | { readonly type: 'delayed'; readonly number: number; readonly dueMs: number }
  | { readonly type: 'subAccountCreated'; readonly number: number }
  /** It has left; the numbers name it to the receiver. */
  | { readonly type: 'transferSent'; readonly number: number; readonly after: number }
  /** What was taken of the address, or would be. */
  | { readonly type: 'imported'; readonly report: ImportReport }
  /** The same import was made before, by this entry. */
  | { readonly type: 'importedBefore'; readonly seq: number }
  /** Only an empty account can begin with something else. */
  | { readonly type: 'notEmpty'; readonly text: string }
  /** Current cash, and the amount deposited (negative: withdrawn), USD. */
  | { readonly type: 'balanceChanged'; readonly balanceUsd: string; readonly changeUsd: string }
  /** The whole action is refused: `{"status":"err","response":text}`, or the only element of an answer (wire-format 4.1). */
  | { readonly type: 'refused'; readonly text: string }
  /** The account does not exist yet; the API opens it and asks again. */
  | { readonly type: 'unknownAccount' };
