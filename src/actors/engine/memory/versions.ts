// Which accounts have a version in Redis: those that an API node was given and whose newest entry it can know. The node answers
// from its view while the version is the view's. A node that follows the account is told each new entry by the commit that makes it
// true and that writes the new version, for a number of entries and then no longer; without such a node the entry ends the version,
// in the same commit, and so do a halt and leaving memory. An account without questions has none, and adds nothing to a commit
// (ADR 11 and 14).

import type { Account } from '../../core/account/account.ts';
import { toSnapshot } from '../../core/account/accountCodec.ts';
import { VIEW_LIFE_MS } from '../../core/messages/accountFigures.ts';
import { type CommandEnvelope, type SentReply, writeFollowed } from '../../core/messages/envelope.ts';
import type { Outcome } from '../../core/messages/queryAnswer.ts';
import type { Rules } from '../../core/rules.ts';
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
/** Characters of a state that is given away: a thousand open orders. A longer one costs more to carry than its questions cost. */
const STATE_CHARS_MAX = 500_000;

interface VersionsParts {
  /** As `openShard` has named it. */
  readonly versionsOwner: string;
  readonly rules: Pick<Rules, 'nextDueMs'>;
}

interface Given {
  /** When a view was given away last, by `performance.now()`. */
  atMs: number;
  /** API nodes that follow the account, and how many entries more they are told; the one that asked last at the end. */
  readonly followers: Map<string, number>;
}

export class Versions {
  readonly #parts: VersionsParts;
  /** As of the open draft. */
  readonly #given = new Map<string, Given>();
  readonly #refused = new Set<string>();

  constructor(parts: VersionsParts) {
    this.#parts = parts;
  }

  /** Never gives the account away: entries of it were given up, perhaps, and it is another than before at the same number. */
  refuse(accountId: string): void {
    this.#refused.add(accountId);
  }

  /**
   * Gives an account away, for an API node to answer questions about it by itself: its whole state, and what tells the node for
   * how long that is the account of now. The version is that of the very state in the answer: the draft that publishes the
   * answer writes it, and a later entry of the same draft takes it out again, or is told to the nodes that follow the account.
   * @param outcome what the rules answered, without the view
   */
  withView(
    outcome: Outcome,
    account: Account,
    { command, replyTo }: Pick<CommandEnvelope, 'command' | 'replyTo'>,
    draft: CommitDraft,
  ): SentReply {
    if (outcome.type !== 'answer' || this.#refused.has(account.id)) return { outcome };
    const state = toSnapshot(account, draft.format);
    if (state.length > STATE_CHARS_MAX) return { outcome };
    const isFollowed = command.type === 'query' && command.query.kind === 'accountView' && command.query.follows === true;
    this.#give(account, draft, isFollowed ? replyTo : undefined);
    return {
      outcome: { ...outcome, seq: account.seq, answer: { kind: 'accountView', view: { ...this.#termOf(account), state: {} } } },
      texts: { field: 'state', value: state },
    };
  }

  /** @param follower API node that is to be told what happens to the account from now on */
  #give({ id, seq }: Account, draft: CommitDraft, follower?: string): void {
    let given = this.#given.get(id);
    if (given === undefined) {
      given = { atMs: 0, followers: new Map() };
      this.#given.set(id, given);
    }
    given.atMs = performance.now();
    if (follower !== undefined) addFollower(given.followers, follower);
    draft.seldom.setVersion(id, seq);
  }

  /** Whose version it is, and when the account changes by itself. */
  #termOf(account: Account): { readonly token: string; readonly nextDueMs: number | null } {
    const { versionsOwner: token, rules } = this.#parts;
    return { token, nextDueMs: rules.nextDueMs(account) ?? null };
  }

  /**
   * The account has a new entry. A node that follows it is told the entry, and its version goes on; without such a node the version ends.
   * @param entry as it is journaled
   */
  onEntry(account: Account, entry: string, draft: CommitDraft): void {
    const { id, seq } = account;
    const followers = this.#given.get(id)?.followers;
    if (followers === undefined) return;
    if (entry.length > FOLLOWED_ENTRY_CHARS_MAX || followers.size === 0) {
      this.end(id, draft);
      return;
    }
    const told = { entry, ...this.#termOf(account) };
    for (const [node, left] of followers) {
      draft.replies.sendEntry(node, writeFollowed(node, told, draft.format));
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
