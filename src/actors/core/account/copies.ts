// What an account remembers as a copy, or of its copies: the entry or the address that it began with, the address that
// it follows, and its what-ifs.
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { CopiedCommand, ForkOrigin } from '../messages/command.ts';
import type { ForkView, ImportedView, WhatIfProgress, WhatIfQueueView } from '../messages/queryAnswer.ts';
import { areSameTerms } from './terms.ts';

// Where a fork comes from: a sub-account that began with the state of an entry of another account of its user.

/** What a fork knows of its beginning. A reset ends it: the account is none any more. */
export interface Fork extends Omit<ForkView, 'usd'> {
  readonly usd: Decimal;
}

export const isSameOrigin = (a: ForkOrigin, b: ForkOrigin): boolean =>
  a.of === b.of && a.seq === b.seq && a.hash === b.hash && areSameTerms(a.terms, b.terms);

// What an account knows of its what-ifs: forks of it under other terms, which receive each command that it has decided, once and in
// order. A command waits here until all of them have had it; the shard's owner delivers it again and again, and a what-if remembers
// how many it has had. One for which too many wait receives no more: an account is never held up by its what-ifs.

/** What-ifs of one account that receive commands at a time. */
export const WHAT_IFS_MAX = 4;
/** Commands that may wait for the slowest, and characters of their JSON text. */
export const WHAT_IFS_WAITING_MAX = 256;
export const WHAT_IFS_CHARS_MAX = 200_000;
/** Ended ones that are remembered, so that they can be told of, and are not begun again with a gap. */
const ENDED_MAX = 50;

export interface WaitingCopy {
  readonly number: number;
  readonly command: CopiedCommand;
}

export interface WhatIfQueue extends WhatIfQueueView {
  /** Oldest first. */
  readonly waiting: readonly WaitingCopy[];
}

export const NO_WHAT_IFS: WhatIfQueue = { last: 0, waiting: [], to: [] };

export const liveWhatIfs = (mirrors: WhatIfQueue | undefined): readonly WhatIfProgress[] =>
  mirrors?.to.filter(({ ended }) => ended === undefined) ?? [];

export function withWhatIf(mirrors: WhatIfQueue, account: string): WhatIfQueue {
  const one = { account, start: mirrors.last, through: mirrors.last };
  const surplus = mirrors.to.filter(({ ended }) => ended !== undefined).slice(0, -ENDED_MAX);
  return { ...mirrors, to: [...mirrors.to.filter((each) => !surplus.includes(each)), one] };
}

export const withCommand = (mirrors: WhatIfQueue, waiting: WaitingCopy): WhatIfQueue => ({
  ...mirrors,
  last: waiting.number,
  waiting: [...mirrors.waiting, waiting],
});

/** What all that go on have had waits no more. */
export function withChange(mirrors: WhatIfQueue, account: string, change: Partial<WhatIfProgress>): WhatIfQueue {
  const to = mirrors.to.map((each) => (each.account === account ? { ...each, ...change } : each));
  const had = Math.min(mirrors.last, ...liveWhatIfs({ ...mirrors, to }).map(({ through }) => through));
  return { ...mirrors, to, waiting: mirrors.waiting.filter(({ number }) => number > had) };
}

// Where an imported account comes from: a sub-account that began with what an address of the venue had.

/** What it knows of its beginning. A reset ends it: the account is no import any more. */
export interface Imported extends Omit<ImportedView, 'usd'> {
  readonly usd: Decimal;
}

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
