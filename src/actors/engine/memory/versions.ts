// Which accounts have a version in Redis: those that an API node was given and whose newest entry it can know. The node answers
// from its view while the version is the view's. A node that follows the account is told each new entry by the commit that makes it
// true and that writes the new version, for a number of entries and then no longer; without such a node the entry ends the version,
// in the same commit, and so do a halt and leaving memory. An account without questions has none, and adds nothing to a commit
// (ADR 11 and 14).

import type { Account } from '../../core/account/account.ts';
import { VIEW_LIFE_MS } from '../../core/messages/accountFigures.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';

/**
 * Entries that a node is told after it was given the account. One that still uses its view asks for the account again then, which costs
 * about as much as ten of them (20 to 30 µs each); one that does not use it any more costs no more.
 */
export const FOLLOWED_ENTRIES_MAX = 32;
/** Nodes that are told of one account, those that asked last. */
export const FOLLOWERS_MAX = 8;
/** Characters of an entry that is told, some twenty orders: to ask for the account again costs less than a longer one. */
export const FOLLOWED_ENTRY_CHARS_MAX = 16_000;

interface Given {
  /** When a view was given away last, by `performance.now()`. */
  atMs: number;
  /** API nodes that follow the account, and how many entries more they are told; the one that asked last at the end. */
  readonly followers: Map<string, number>;
}

export class Versions {
  /** As of the open draft. */
  readonly #given = new Map<string, Given>();
  readonly #refused = new Set<string>();

  /** Never gives the account away: entries of it were given up, perhaps, and it is another than before at the same number. */
  refuse(accountId: string): void {
    this.#refused.add(accountId);
  }

  mayBeGiven(accountId: string): boolean {
    return !this.#refused.has(accountId);
  }

  /** The draft's replies give the account away as it is now. @param follower API node that is to be told what happens to it then */
  give({ id, seq }: Account, draft: CommitDraft, follower?: string): void {
    let given = this.#given.get(id);
    if (given === undefined) {
      given = { atMs: 0, followers: new Map() };
      this.#given.set(id, given);
    }
    given.atMs = performance.now();
    if (follower !== undefined) addFollower(given.followers, follower);
    draft.seldom.setVersion(id, seq);
  }

  /** True when a version of the account stands: its new entry has to be told, or ends that. */
  isGiven(accountId: string): boolean {
    return this.#given.has(accountId);
  }

  /**
   * The account has a new entry. Who follows it is told, and its version goes on; without such a node the version ends.
   * @param told the entry as it is told; undefined when it is not
   */
  onEntry({ id, seq }: Account, told: ((node: string) => string) | undefined, draft: CommitDraft): void {
    const followers = this.#given.get(id)?.followers;
    if (followers === undefined) return;
    if (told === undefined || followers.size === 0) {
      this.end(id, draft);
      return;
    }
    for (const [node, left] of followers) {
      draft.replies.sendEntry(node, told(node));
      if (left > 1) followers.set(node, left - 1);
      else followers.delete(node);
    }
    draft.seldom.setVersion(id, seq);
  }

  /** The account is not any more what was given away. */
  end(accountId: string, draft: CommitDraft): void {
    if (this.#given.delete(accountId)) draft.seldom.endVersion(accountId);
  }

  /** True while a view of the account, given away not long ago, holds. @param nowAt by `performance.now()` */
  isInUse(accountId: string, nowAt: number): boolean {
    const given = this.#given.get(accountId);
    return given !== undefined && nowAt - given.atMs < VIEW_LIFE_MS;
  }
}

function addFollower(followers: Map<string, number>, node: string): void {
  followers.delete(node);
  followers.set(node, FOLLOWED_ENTRIES_MAX);
  if (followers.size <= FOLLOWERS_MAX) return;
  const [oldest] = followers.keys();
  if (oldest !== undefined) followers.delete(oldest);
}
