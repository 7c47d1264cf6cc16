// What a history writer that begins finds in the journal of the part that is in MongoDB already: snapshots of it may
// still be missing, and rows to be removed.
import { factsOf } from '../../core/history/eventFacts.ts';
import type { AccountEntry } from '../../core/messages/entry.ts';
import type { Head } from './journal.ts';
import type { JournalPages } from './journalPages.ts';

/** What the journal still has of the commits that are written already, and the head. */
export async function readWritten(
  pages: JournalPages,
  upTo: number,
): Promise<{ commitsOf: Map<string, number[]>; forgotten: Map<string, number>; trimmedTo: number; head: Head }> {
  const commitsOf = new Map<string, number[]>();
  const forgotten = new Map<string, number>();
  let trimmedTo = 0;
  for (let from = 0; ; ) {
    const { commits, head } = await pages.read(from);
    if (from === 0) trimmedTo = (commits[0]?.number ?? upTo) - 1;
    for (const { number, entries } of commits) {
      if (number > upTo) break;
      for (const entry of entries) {
        listOf(commitsOf, entry.accountId).push(number);
        if (forgetsHistory(entry)) forgotten.set(entry.accountId, number);
      }
    }
    from = (commits.at(-1)?.number ?? upTo) + 1;
    if (from > upTo) return { commitsOf, forgotten, trimmedTo, head };
  }
}

/** True when rows of before the entry are no part of the account's history any more. */
export const forgetsHistory = ({ events }: AccountEntry): boolean => events.some((event) => factsOf(event).past !== 'kept');

function listOf(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
