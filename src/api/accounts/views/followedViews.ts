// Views follow their accounts: the owner tells this node each new entry with the commit that makes it true, and the view goes on to
// it. Nothing relies on that. An entry that is lost, comes twice, late or from another owner leaves a view whose version is not the
// newest one, which Redis tells when the next question comes.
import type { FollowedEntry } from '../../../actors/core/messages/envelope.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { AccountView } from './accountView.ts';
import type { ViewCache } from './viewCache.ts';

/** Entries that wait for views on their way, of all accounts: a view and an entry that its message brings with it, as a rule. */
export const WAITING_MAX = 256;

interface FollowedViewsParts {
  readonly cache: ViewCache;
  readonly repeated: RepeatedQuestions;
  readonly log: Pick<Logger, 'error'>;
}

export class FollowedViews {
  readonly #parts: FollowedViewsParts;
  /** Accounts whose view is on its way, with the entries that came meanwhile. */
  readonly #awaited = new Map<string, FollowedEntry[]>();
  #waiting = 0;
  #folded = 0;

  constructor(parts: FollowedViewsParts) {
    this.#parts = parts;
  }

  /** Entries that views have followed. */
  get folded(): number {
    return this.#folded;
  }

  isAwaited(accountId: string): boolean {
    return this.#awaited.has(accountId);
  }

  /** The account's view is on its way. */
  expect(accountId: string): void {
    this.#awaited.set(accountId, []);
  }

  /** It has come, or will not. @param view the one that is in the cache from now on */
  arrived(accountId: string, view: AccountView | undefined): void {
    const waiting = this.#awaited.get(accountId) ?? [];
    this.#awaited.delete(accountId);
    this.#waiting -= waiting.length;
    if (view === undefined) return;
    for (const followed of waiting) this.#follow(view, followed);
  }

  /** An owner has committed the next entry of an account that this node follows. */
  onEntry(followed: FollowedEntry): void {
    const { accountId } = followed.entry;
    const waiting = this.#awaited.get(accountId);
    if (waiting !== undefined && this.#waiting < WAITING_MAX) {
      waiting.push(followed);
      this.#waiting += 1;
    }
    const view = this.#parts.cache.peek(accountId);
    if (view !== undefined) this.#follow(view, followed);
  }

  #follow(view: AccountView, followed: FollowedEntry): void {
    const { cache, repeated, log } = this.#parts;
    const { accountId, seq } = followed.entry;
    try {
      const moved = view.follow(followed);
      if (moved === undefined) return;
      this.#folded += 1;
      cache.onFollowed(view, moved);
    } catch (error) {
      log.error({ err: error, accountId, seq }, 'an entry cannot be followed, its view is dropped');
      cache.drop(accountId);
      repeated.onDropped(accountId, view);
    }
  }
}

/** A view is worth while when so many answers in a row were of the same entry. */
const MET_MIN = 2;
/** After views that did not pay it takes more, up to this many. */
const MET_MAX = 16;
/** A view that has answered so often has paid for itself: it costs about half as much again as a plain answer. */
const HITS_TO_PAY = 2;
/** Entries that a view may have followed for each answer beyond: one costs a sixth of what an answer of a view saves. */
const ENTRIES_A_HIT = 6;
/** Accounts that are remembered, about 100 bytes each. */
const ACCOUNTS_MAX = 20_000;

interface Met {
  seq: number;
  times: number;
  /** Times that make a view worth while. */
  readonly needed: number;
}

/**
 * Which accounts are asked about again and again while nothing happens to them. Only then a view pays: its state costs more to
 * carry and to read than a plain answer. A bot that trades and asks in turn is never made to pay for one.
 */
export class RepeatedQuestions {
  /** By account, the one that changed last at the end. */
  readonly #met = new Map<string, Met>();

  /** A plain answer was of this entry of the account. */
  onAnswer(accountId: string, seq: number): void {
    const met = this.#met.get(accountId);
    if (met?.seq === seq) met.times += 1;
    else this.#set(accountId, { seq, times: 1, needed: met?.needed ?? MET_MIN });
  }

  /** A command to the account goes through this node. */
  onCommand(accountId: string): void {
    const met = this.#met.get(accountId);
    if (met !== undefined) met.times = 0;
  }

  /** The view is not of the account's newest entry. */
  onDropped(accountId: string, { hits, folded }: { readonly hits: number; readonly folded: number }): void {
    const needed = this.#met.get(accountId)?.needed ?? MET_MIN;
    if (hits >= HITS_TO_PAY + folded / ENTRIES_A_HIT) this.#set(accountId, { seq: -1, times: MET_MIN, needed: MET_MIN });
    else this.#set(accountId, { seq: -1, times: 0, needed: Math.min(2 * needed, MET_MAX) });
  }

  /** The account is not given away as it is now: a view is not worth while before its next entry. */
  onRefused(accountId: string, seq: number): void {
    this.#set(accountId, { seq, times: Number.NEGATIVE_INFINITY, needed: MET_MIN });
  }

  /** True when the next question may pay for a view. */
  isRepeated(accountId: string): boolean {
    const met = this.#met.get(accountId);
    return met !== undefined && met.times >= met.needed;
  }

  #set(accountId: string, met: Met): void {
    this.#met.delete(accountId);
    this.#met.set(accountId, met);
    if (this.#met.size <= ACCOUNTS_MAX) return;
    const [oldest] = this.#met.keys();
    if (oldest !== undefined) this.#met.delete(oldest);
  }
}
