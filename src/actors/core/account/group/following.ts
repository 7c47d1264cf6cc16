// What an account knows of the address that it follows: which orders of the address it has seen, with their copies here, and of which fills
// it has heard. So a fact that comes twice, or after one that is newer, has its effect once, whichever process tells it.

/** Orders of the address that are over and still remembered: their last fills may be told after their end. */
const OVER_MAX = 200;
/** Fills that are remembered one by one, and all of one millisecond: so many newer ones may come before an older one. */
const HEARD_MAX = 200;

export interface SeenOrder {
  /** Of its copy here; absent = it has none. */
  readonly oid?: number | undefined;
  /** Coins of it that were filled before it was seen resting; absent = it was not seen resting. */
  readonly before?: string | undefined;
  /** Coins of it that were filled and are no matter of its copy. */
  readonly taken: string;
  /** Coins here that orders for them were sent for; absent = 0. What was put off is not among them: a later order is for it, too. */
  readonly ordered?: string | undefined;
  readonly isOver?: true | undefined;
}

export interface Following {
  /** Names this mirror among all that the account may have. */
  readonly id: string;
  /** Of the process that tells: one with a smaller number is not heard any more. */
  readonly term: number;
  /** The venue's time from which on fills count. */
  readonly sinceMs: number;
  /** Time of the newest fill that was heard of. */
  readonly cursorMs: number;
  /** Fills of this time and of before count no more. */
  readonly floorMs: number;
  /** Those after it that were heard of, the oldest first. */
  readonly heard: readonly HeardFill[];
  /** By the venue's oid; those that are over in the order of their ends. */
  readonly orders: ReadonlyMap<number, SeenOrder>;
}

/** Names a fill of the address: those that are no trade, as a settlement, all have the tid 0. */
export interface HeardFill {
  readonly timeMs: number;
  readonly tid: number;
  readonly oid: number;
}

export const isNewFill = ({ floorMs, heard }: Following, { timeMs, tid, oid }: HeardFill): boolean =>
  timeMs > floorMs && !heard.some((each) => each.timeMs === timeMs && each.tid === tid && each.oid === oid);

/** With this fill heard of. Of too many the oldest are forgotten, whole milliseconds of them: none as old is heard of any more. */
export function withHeard(following: Following, { timeMs, tid, oid }: HeardFill): Following {
  const after = following.heard.findLastIndex((each) => each.timeMs <= timeMs) + 1;
  const heard = following.heard.toSpliced(after, 0, { timeMs, tid, oid });
  const cursorMs = Math.max(following.cursorMs, timeMs);
  const oldestMs = heard[0]?.timeMs ?? cursorMs;
  if (heard.length <= HEARD_MAX || oldestMs === cursorMs) return { ...following, cursorMs, heard };
  return { ...following, cursorMs, floorMs: oldestMs, heard: heard.filter((each) => each.timeMs > oldestMs) };
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
