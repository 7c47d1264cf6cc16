// The journal read in pages of about the same text. Commits differ in size by a thousand times, so each page's count follows the
// size of the one before. And what a page says of how far the journal is written once its due commits are.
import type { JournalCommit } from '../../core/history/historyBatch.ts';
import type { Journal, JournalPage } from './journal.ts';
import type { Reached } from './journalPosition.ts';

/** Journal text wanted in one page: Redis serves nobody else while it reads one, and parsing it holds the accounts up, about 1 ms each. */
const PAGE_TEXT = 128 * 1024;
const PAGE_COMMITS_MIN = 8;
const PAGE_COMMITS_MAX = 512;
/** Pages are gathered until they have so much text: what they hold is written at once. */
const GATHERED_TEXT = 1024 * 1024;

export class JournalPages {
  readonly #journal: Journal;
  #commits = PAGE_COMMITS_MIN;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The page that begins with this commit. @param notAfterMs as in `Journal.read`, which also says what it throws */
  async read(from: number, notAfterMs?: number): Promise<JournalPage> {
    const page = await this.#journal.read(from, this.#commits, notAfterMs);
    const { commits, textLength } = page;
    if (commits.length > 0) {
      const fitting = Math.floor((PAGE_TEXT * commits.length) / Math.max(textLength, 1));
      this.#commits = Math.min(Math.max(fitting, PAGE_COMMITS_MIN), PAGE_COMMITS_MAX);
    }
    return page;
  }

  /** Several pages as one, of the commits that are there from this one on. @param notAfterMs as in `read` */
  async gather(from: number, notAfterMs: number): Promise<JournalPage> {
    let gathered = await this.read(from, notAfterMs);
    while (gathered.young === undefined && !gathered.reachesEnd && gathered.textLength < GATHERED_TEXT) {
      const next = await this.read((gathered.commits.at(-1)?.number ?? from) + 1, notAfterMs);
      const commits = [...gathered.commits, ...next.commits];
      gathered = { ...next, commits, textLength: gathered.textLength + next.textLength };
    }
    return gathered;
  }
}

/** The commit up to which nothing is missing once the page is written: the head's when the page reaches the journal's end. */
export function writtenUpTo({ commits, young, head, reachesEnd }: JournalPage): number {
  if (young) return young.number - 1;
  return Math.max(commits.at(-1)?.number ?? 0, reachesEnd ? head.commit : 0);
}

/** Of a page with commits. Ids, epoch and tick come from the head, which is at least as far as the commits. */
export function reachedBy({ commits, head }: JournalPage): Reached {
  const { number, epoch, idCounter, timeMs } = commits.at(-1) as JournalCommit;
  return {
    commit: number,
    epoch: Math.max(epoch, head.epoch),
    idCounter: Math.max(idCounter, head.idCounter),
    tick: head.tick,
    atMs: timeMs,
  };
}
