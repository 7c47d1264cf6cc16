// A bot's request with its answer, kept for comparison with the final state of the service.

export interface Operation {
  readonly kind: 'order' | 'cancel' | 'modify' | 'leverage';
  /** Cloids of the orders that it places; no other operation ever uses any of them. */
  readonly cloids: readonly string[];
  /** Order ids that it cancels or replaces. */
  readonly targets: readonly number[];
  readonly action: object;
  readonly idempotencyKey: string | undefined;
  readonly sentAtMs: number;
  told: Told;
}

export type Told =
  /** Asked a moment ago. */
  | { readonly type: 'waiting' }
  /** The venue's answer to each element. */
  | { readonly type: 'acknowledged'; readonly statuses: readonly Status[]; readonly atMs: number }
  /** The whole action is refused, or the service says that nothing was done. */
  | { readonly type: 'undone'; readonly status: number; readonly text: string }
  /** Sent, and no answer that says what became of it: a 504, or the connection broke. */
  | { readonly type: 'unknown'; readonly isAnswered: boolean };

export type Status =
  | 'success'
  | { readonly resting: { readonly oid: number; readonly cloid: string } }
  | { readonly filled: { readonly oid: number; readonly cloid: string; readonly totalSz: string; readonly avgPx: string } }
  | { readonly error: string };

/** The order id that a status names. */
export function oidOf(status: Status): number | undefined {
  if (status === 'success' || 'error' in status) return undefined;
  return 'resting' in status ? status.resting.oid : status.filled.oid;
}
