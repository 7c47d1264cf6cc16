// Command envelopes, replies and remembered outcomes as text, and the reading of those of older generations.
import {
  type Format,
  readForm,
  type Step,
  type StoredForm,
  stepsWithin,
  type Upcasters,
  writeForm,
} from '../../../shared/domain/formats.ts';
import { ENTRY_UPCASTERS, entryWithin } from './entryForm.ts';
import type { CommandEnvelope, Followed, Reply, ReplyMessage } from './envelope.ts';
import type { Outcome } from './outcome.ts';

const ENVELOPE_UPCASTERS: Upcasters = {};

interface StoredOutcome extends StoredForm {
  readonly answer?: { readonly entries?: readonly StoredForm[] };
}

const OUTCOME_UPCASTERS = stepsWithin(ENTRY_UPCASTERS, withEntries);
const REPLY_UPCASTERS = stepsWithin(OUTCOME_UPCASTERS, withOutcome);

export const writeEnvelope = (envelope: CommandEnvelope, format: Format): string => writeForm(envelope, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no envelope */
export const readEnvelope = (text: string): CommandEnvelope => readForm('command envelope', JSON.parse(text), ENVELOPE_UPCASTERS);

/** A reply parts of which are texts already: rows or entries in the place of an empty list, a state in that of an empty object. */
export type SentReply = Reply & { readonly texts?: ReplyTexts };

export type ReplyTexts =
  | { readonly field: 'rows' | 'entries'; readonly values: readonly string[] }
  | { readonly field: 'state'; readonly value: string };

/** One reply of the message that holds all replies of a commit to one API node. */
export const writeReply = (
  { incarnation, counter }: { readonly incarnation: string; readonly counter: number },
  { texts, ...reply }: SentReply,
  format: Format,
): string => `[${JSON.stringify(incarnation)},${counter},${withTexts(writeForm(reply, format), texts)}]`;

/** The empty place is the first of its name: nothing before it in an answer is a client's text. */
function withTexts(reply: string, texts: ReplyTexts | undefined): string {
  if (texts === undefined) return reply;
  const { field } = texts;
  if (field === 'state') return reply.replace(`"${field}":{}`, () => `"${field}":${texts.value}`);
  return reply.replace(`"${field}":[]`, () => `"${field}":[${texts.values.join(',')}]`);
}

/** An account's new entry, in the same message, for a node that follows the account. @param entry as it is journaled */
export function writeFollowed(
  incarnation: string,
  { token, nextDueMs, entry }: { readonly token: string; readonly nextDueMs: number | null; readonly entry: string },
  format: Format,
): string {
  const followed = `{"token":${JSON.stringify(token)},"nextDueMs":${nextDueMs},"entry":${entryWithin(entry, format)}}`;
  return `[${JSON.stringify(incarnation)},0,{"followed":${followed},"v":${format}}]`;
}

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no message of replies */
export const readReplyMessage = (text: string): ReplyMessage =>
  (JSON.parse(text) as [string, number, unknown][]).map(
    ([incarnation, counter, reply]) =>
      [incarnation, counter, readForm<Reply | Followed>('reply', reply, REPLY_UPCASTERS)] as const,
  );

type ReplyPart = readonly [incarnation: string, counter: number, reply: Reply];

/** The replies in it alone. @throws as `readReplyMessage` */
export const readReplies = (text: string): readonly ReplyPart[] =>
  readReplyMessage(text).filter((part): part is ReplyPart => !('followed' in part[2]));

/** The record of a command for its Idempotency-Key. */
export const writeOutcome = (outcome: Outcome, format: Format): string => writeForm(outcome, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no outcome */
export const readOutcome = (text: string): Outcome => readForm('remembered outcome', JSON.parse(text), OUTCOME_UPCASTERS);

function withOutcome(reply: StoredForm, step: Step): StoredForm {
  const { outcome } = reply as { readonly outcome?: StoredForm };
  return outcome ? { ...reply, outcome: step(outcome) } : reply;
}

function withEntries(outcome: StoredForm, step: Step): StoredForm {
  const { answer } = outcome as StoredOutcome;
  return answer?.entries ? { ...outcome, answer: { ...answer, entries: answer.entries.map(step) } } : outcome;
}
