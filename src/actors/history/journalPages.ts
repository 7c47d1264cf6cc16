// The journal read in pages of about the same text. Commits differ in size by a thousand times, so each page's count follows the
// size of the one before.
import type { Journal, JournalPage } from './journal.ts';

/** Journal text wanted in one page: parsing it holds the accounts up for some milliseconds. */
const PAGE_TEXT = 512 * 1024;
const PAGE_COMMITS_MIN = 8;
const PAGE_COMMITS_MAX = 512;

export class JournalPages {
  readonly #journal: Journal;
  #commits = PAGE_COMMITS_MIN;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The page that begins with this commit. It throws what `Journal.read` throws. */
  async read(from: number): Promise<JournalPage> {
    const page = await this.#journal.read(from, this.#commits);
    const { commits, textLength } = page;
    if (commits.length > 0) {
      const fitting = Math.floor((PAGE_TEXT * commits.length) / Math.max(textLength, 1));
      this.#commits = Math.min(Math.max(fitting, PAGE_COMMITS_MIN), PAGE_COMMITS_MAX);
    }
    return page;
  }
}
