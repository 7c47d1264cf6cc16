// The answer of a command beyond the outcome that the rules gave: rows of the tail, and the record of an Idempotency-Key.

import type { Format } from '../../../shared/domain/formats.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { answerPlace, openAnswer, sealAnswer } from '../../../shared/redis/rememberedAnswers.ts';
import type { AccountQuery } from '../../core/messages/command.ts';
import { entryWithin } from '../../core/messages/entry.ts';
import { type CommandEnvelope, readOutcome, type SentReply, writeOutcome } from '../../core/messages/envelope.ts';
import type { Outcome, QueryAnswer } from '../../core/messages/queryAnswer.ts';
import type { MailboxCommand } from '../commit/mailbox.ts';
import type { AccountTail, TailRows } from '../memory/accountTail.ts';

/** Characters of rows or entries in one answer; one row or entry is always given. What is left out is asked for again. */
const CHARS_MAX = 1_000_000;
const ENTRIES_PER_ANSWER = 500;
/** Entries are read and written again by who asks, in one go. */
const CHARS_MAX_OF_ENTRIES = 256_000;

type HistoryAnswer = Extract<QueryAnswer, { kind: 'history' }>;
type HistoryQuery = Extract<AccountQuery, { kind: 'history' }>;

/**
 * Completes the answer of a history question with rows that only the shard has: those of journal entries that MongoDB may not have yet. So
 * a fill that has been acknowledged is never missing, however late MongoDB is. Rows and entries go into the reply as the texts that they are.
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

/** What came with a command, and whose command it is. */
export interface AnswerKey {
  readonly shard: number;
  readonly accountId: string;
  readonly idempotency: NonNullable<CommandEnvelope['idempotency']>;
}

/** Where the outcome is remembered. */
export const placeOf = ({ shard, accountId, idempotency: { key } }: AnswerKey): string =>
  shardKeys.answer(shard, answerPlace(accountId, key).name);

/**
 * The record of an Idempotency-Key: the digest of the body that came with it, and the outcome as it was answered, sealed, in
 * one text, so that it is written with the commit. The submit script compares the digest and gives the API node the rest.
 */
export function answerRecordOf(
  keyed: AnswerKey,
  outcome: Outcome,
  format: Format,
): { readonly key: string; readonly value: string } {
  const { shard, accountId, idempotency } = keyed;
  const { key, bodyDigest } = idempotency;
  const text = writeOutcome(outcome, format);
  const { name, seal } = answerPlace(accountId, key);
  return { key: shardKeys.answer(shard, name), value: `${bodyDigest} ${sealAnswer(text, seal)}` };
}

/** @returns the outcome; undefined when another body came with the key */
export function outcomeOf(text: string, { accountId, idempotency: { key, bodyDigest } }: AnswerKey): Outcome | undefined {
  const gap = text.indexOf(' ');
  if (text.slice(0, gap) !== bodyDigest) return undefined;
  return readOutcome(openAnswer(text.slice(gap + 1), answerPlace(accountId, key).seal));
}

/** The records of the commands' Idempotency-Keys, by the command's stream id. */
export async function readAnswerRecords(
  redis: Redis,
  shard: number,
  mailboxes: ReadonlyMap<string, readonly MailboxCommand[]>,
): Promise<Map<string, string | null>> {
  const asked: Promise<[string, string | null]>[] = [];
  for (const [accountId, commands] of mailboxes) {
    for (const { id, envelope } of commands) {
      if (envelope?.idempotency === undefined) continue;
      const place = placeOf({ shard, accountId, idempotency: envelope.idempotency });
      asked.push(redis.get(place).then((value) => [id, value]));
    }
  }
  return new Map(await Promise.all(asked));
}
