// Which accounts have a version in Redis: those that an API node was given and that nothing has happened to since. The node answers
// from its view while the version stands. Whatever changes the account, or takes it out of memory, ends its version in the same
// commit. An account without questions has none, and adds nothing to a commit (ADR 11).
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { Account } from '../domain/account/account.ts';
import { VIEW_LIFE_MS } from '../domain/messages/outcome.ts';

export class Versions {
  /** Account -> when a view of it was given away last, by `performance.now()`. As of the open draft. */
  readonly #given = new Map<string, number>();
  readonly #refused = new Set<string>();

  /** Never gives the account away: entries of it were given up, perhaps, and it is another than before at the same number. */
  refuse(accountId: string): void {
    this.#refused.add(accountId);
  }

  mayBeGiven(accountId: string): boolean {
    return !this.#refused.has(accountId);
  }

  /** The draft's replies give the account away as it is now. */
  give({ id, seq }: Account, draft: CommitDraft): void {
    this.#given.set(id, performance.now());
    draft.setVersion(id, seq);
  }

  /** The account is not any more what was given away. */
  end(accountId: string, draft: CommitDraft): void {
    if (this.#given.delete(accountId)) draft.endVersion(accountId);
  }

  /** True while a view of the account, given away not long ago, holds. @param nowAt by `performance.now()` */
  isInUse(accountId: string, nowAt: number): boolean {
    const givenAt = this.#given.get(accountId);
    return givenAt !== undefined && nowAt - givenAt < VIEW_LIFE_MS;
  }
}
