// What an account knows of the address that it follows: which orders of the address it has seen, with their copies here, and up to which fill
// it has heard. So a fact that comes twice has its effect once, whichever process tells it.

/** Orders of the address that are over and still remembered: their last fills may be told after their end. */
const OVER_MAX = 200;

export interface SeenOrder {
  /** Of its copy here; absent = it has none. */
  readonly oid?: number | undefined;
  /** Coins of it that were filled before it was seen resting; absent = it was not seen resting. */
  readonly before?: string | undefined;
  /** Coins of it for which orders were sent here at its fills. */
  readonly taken: string;
  readonly isOver?: true | undefined;
}

export interface Following {
  /** Names this mirror among all that the account may have. */
  readonly id: string;
  /** Of the process that tells: one with a smaller number is not heard any more. */
  readonly term: number;
  /** The venue's time from which on fills count. */
  readonly sinceMs: number;
  /** Time of the newest fill that was heard of, and the tids of that time. */
  readonly cursorMs: number;
  readonly tids: readonly number[];
  /** By the venue's oid; those that are over in the order of their ends. */
  readonly orders: ReadonlyMap<number, SeenOrder>;
}

export function isNewFill(
  { cursorMs, tids }: Following,
  { timeMs, tid }: { readonly timeMs: number; readonly tid: number },
): boolean {
  return timeMs > cursorMs || (timeMs === cursorMs && !tids.includes(tid));
}

/** Notes this order as it is now; of those that are over the oldest is forgotten where it is one too many. */
export function noteSeen(orders: Map<number, SeenOrder>, sourceOid: number, seen: SeenOrder): void {
  if (seen.isOver) orders.delete(sourceOid);
  orders.set(sourceOid, seen);
  if (!seen.isOver) return;
  let over = 0;
  let oldest: number | undefined;
  for (const [oid, { isOver }] of orders) {
    if (!isOver) continue;
    over += 1;
    oldest ??= oid;
  }
  if (over > OVER_MAX && oldest !== undefined) orders.delete(oldest);
}
