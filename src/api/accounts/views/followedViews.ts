// Views follow their accounts: the owner tells this node each new entry with the commit that makes it true, and the view goes on to
// it. Nothing relies on that. An entry that is lost, comes twice, late or from another owner leaves a view whose version is not the
// newest one, which Redis tells when the next question comes.
import type { FollowedEntry } from '../../../actors/core/messages/envelope.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { AccountView } from './accountView.ts';
import type { RepeatedQuestions } from './repeatedQuestions.ts';
import type { ViewCache } from './viewCache.ts';

/** Entries that wait for views on their way, of all accounts: a view and an entry that its message brings with it, as a rule. */
export const WAITING_MAX = 256;

export interface FollowedViewsParts {
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
