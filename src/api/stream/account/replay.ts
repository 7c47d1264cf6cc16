// What an account did after an entry that a client knows, page by page: newer entries from the journal, as long as the
// owner holds them, and older ones from MongoDB. No entry is left out: a request that cannot be answered completely is
// refused. A page is read when the one before has been sent, so a long past takes no more memory than a short one.
import type { HistoryKind } from '../../../actors/core/messages/historyRows.ts';
import { groupedBy } from '../../../shared/domain/groups.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { AccountAnswers } from '../../accounts/accountAnswers.ts';
import type { SequencedRow } from '../../accounts/historySources.ts';
import { askWithSeq, type Call, pastOf } from '../../accounts/services.ts';
import { type AccountUpdate, toUpdate } from './accountFeeds.ts';

/** Rows of each kind in a page from MongoDB, about. */
const PAGE_ROWS = 1024;
/** Rows of one kind that are read for the sake of one entry: an action of 1,000 orders that each take 60 levels. */
const ENTRY_ROWS_MAX = 65_536;

export interface ReplayPage {
  /** Updates with rows of the requested kinds, by rising sequence number. */
  readonly updates: readonly AccountUpdate[];
  /** Sequence number of the newest entry included. */
  readonly seq: number;
  /** True when the account was at that entry. */
  readonly isLast: boolean;
}

export interface Wanted {
  readonly kinds: readonly HistoryKind[];
  readonly afterSeq: number;
}

/**
 * At least one page.
 * @throws {RequestError} 400 `unknown_seq` for a number that the account has not reached, `seq_forgotten` when history does
 *   not go back so far, `replay_too_long` for an entry with too many rows; the gateway's errors otherwise
 */
export async function* replay(answers: AccountAnswers, call: Call, wanted: Wanted): AsyncGenerator<ReplayPage, void, void> {
  const { kinds } = wanted;
  let { afterSeq } = wanted;
  for (;;) {
    const { seq, answer } = await askWithSeq(call, answers.services, { kind: 'entries', afterSeq });
    const { entries, firstSeq, lastGoneSeqs } = answer;
    requireReached(afterSeq, seq);
    const storedTo = (entries[0]?.seq ?? seq + 1) - 1;
    if (afterSeq < storedTo) {
      const firstTold = Math.max(firstSeq, ...kinds.map((kind) => lastGoneSeqs[kind] + 1));
      if (afterSeq + 1 < firstTold) {
        throw new RequestError(400, 'seq_forgotten', `Nothing before seq ${firstTold} can be replayed: history begins there.`);
      }
      const page = await storedPage(answers, call, { kinds, afterSeq, toSeq: storedTo });
      yield { ...page, isLast: page.seq === seq };
      afterSeq = page.seq;
    } else {
      const updates = entries.map((entry) => toUpdate(entry, new Set(kinds)));
      afterSeq = entries.at(-1)?.seq ?? afterSeq;
      yield {
        updates: updates.filter(({ rows, ended }) => rows.length + ended.length > 0),
        seq: afterSeq,
        isLast: afterSeq === seq,
      };
    }
    if (afterSeq === seq) return;
  }
}

/** @throws {RequestError} 400 `unknown_seq` for a number that the account, which is at `seq`, has not reached */
export function requireReached(fromSeq: number, seq: number): void {
  if (fromSeq > seq) throw new RequestError(400, 'unknown_seq', `fromSeq is ${fromSeq}, but the account is at ${seq}.`);
}

/** Rows of several kinds, grouped again by entry: as many entries as are whole in what was read. */
async function storedPage(
  answers: AccountAnswers,
  call: Call,
  { kinds, afterSeq, toSeq }: Wanted & { readonly toSeq: number },
): Promise<Omit<ReplayPage, 'isLast'>> {
  for (let limit = PAGE_ROWS; limit <= ENTRY_ROWS_MAX; limit *= 4) {
    const found: SequencedRow[] = [];
    let seq = toSeq;
    for (const kind of kinds) {
      const rows = await answers.history.stored(pastOf(call), kind, { afterSeq, toSeq: seq, limit });
      // The last entry read may have more rows.
      if (rows.length >= limit) seq = Math.min(seq, (rows.at(-1)?.seq ?? toSeq) - 1);
      found.push(...rows);
    }
    if (seq > afterSeq) return { updates: byEntry(found.filter((row) => row.seq <= seq)), seq };
  }
  throw new RequestError(400, 'replay_too_long', `Entry ${afterSeq + 1} has too many rows: read them from info, by time.`);
}

function byEntry(found: readonly SequencedRow[]): AccountUpdate[] {
  const bySeq = [...groupedBy(found, ({ seq }) => seq)].sort(([a], [b]) => a - b);
  return bySeq.map(([seq, rows]) => ({ seq, rows: rows.map(({ row }) => row), ended: [] }));
}
