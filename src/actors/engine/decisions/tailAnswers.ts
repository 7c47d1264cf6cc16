// Completes the answers of history questions with rows that only the shard has: those of journal entries that MongoDB
// may not have yet. So a fill that has been acknowledged is never missing, however late MongoDB is. Rows and entries go
// into the reply as the texts that they are.
import type { Format } from '../../../shared/domain/formats.ts';
import type { QueryAnswer } from '../../core/messages/answers/queryAnswer.ts';
import type { AccountQuery } from '../../core/messages/command.ts';
import { entryWithin } from '../../core/messages/entryForm.ts';
import type { SentReply } from '../../core/messages/envelopeForm.ts';
import type { Outcome } from '../../core/messages/outcome.ts';
import type { AccountTail, TailRows } from '../residents/accountTail.ts';

/** Characters of rows or entries in one answer; one row or entry is always given. What is left out is asked for again. */
const CHARS_MAX = 1_000_000;
const ENTRIES_PER_ANSWER = 500;
/** Entries are read and written again by who asks, in one go. */
const CHARS_MAX_OF_ENTRIES = 256_000;

type HistoryAnswer = Extract<QueryAnswer, { kind: 'history' }>;
type HistoryQuery = Extract<AccountQuery, { kind: 'history' }>;

/**
 * @param outcome what the rules answered, without the tail
 * @param format of the reply
 */
export function withTail(outcome: Outcome, query: AccountQuery, tail: AccountTail, format: Format): SentReply {
  if (outcome.type !== 'answer') return { outcome };
  const { answer } = outcome;
  if (answer.kind === 'history' && query.kind === 'history') {
    const { held, texts } = historyOf(answer, query, tail);
    return { outcome: { ...outcome, answer: { ...answer, held } }, texts: { field: 'rows', values: texts } };
  }
  if (answer.kind === 'entries' && query.kind === 'entries') {
    const entries = tail.entriesAfter(query.afterSeq, { countMax: ENTRIES_PER_ANSWER, charsMax: CHARS_MAX_OF_ENTRIES });
    return { outcome, texts: { field: 'entries', values: entries.map(({ text }) => entryWithin(text, format)) } };
  }
  if (answer.kind === 'orderStatus' && query.kind === 'orderStatus' && answer.found === 'notHere') {
    return { outcome: { ...outcome, answer: { ...answer, found: tail.orderRow(query.target, answer.firstRow) ?? 'notHere' } } };
  }
  return { outcome };
}

function historyOf(
  { first, total }: HistoryAnswer,
  { rows: kind, want }: HistoryQuery,
  tail: AccountTail,
): Pick<TailRows, 'texts'> & Pick<HistoryAnswer, 'held'> {
  const { texts, from = total, fromMs, isCut } = tail.rows(kind, want, { first, charsMax: CHARS_MAX });
  return { texts, held: { from, ...(fromMs !== undefined && { fromMs }), ...(isCut && { isCut }) } };
}
