// Command envelopes, replies and remembered outcomes as text, and the reading of those of older generations.
import { asBefore, type Format, readForm, type StoredForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import { ENTRY_UPCASTERS } from './entryForm.ts';
import type { CommandEnvelope, Reply, ReplyMessage } from './envelope.ts';
import type { Outcome } from './outcome.ts';

const ENVELOPE_UPCASTERS: Upcasters = { 1: asBefore };

interface StoredOutcome extends StoredForm {
  readonly answer?: { readonly entries?: readonly StoredForm[] };
}

const OUTCOME_UPCASTERS: Upcasters = { 1: (outcome) => withEntries(outcome, ENTRY_UPCASTERS[1]) };

const REPLY_UPCASTERS: Upcasters = {
  1: (reply) => {
    const { outcome } = reply as { readonly outcome?: StoredForm };
    return outcome ? { ...reply, outcome: OUTCOME_UPCASTERS[1](outcome) } : reply;
  },
};

export const writeEnvelope = (envelope: CommandEnvelope, format: Format): string => writeForm(envelope, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no envelope */
export const readEnvelope = (text: string): CommandEnvelope => readForm('command envelope', JSON.parse(text), ENVELOPE_UPCASTERS);

/** One reply of the message that holds all replies of a commit to one API node. */
export const writeReply = (
  { incarnation, counter }: { readonly incarnation: string; readonly counter: number },
  reply: Reply,
  format: Format,
): string => `[${JSON.stringify(incarnation)},${counter},${writeForm(reply, format)}]`;

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no message of replies */
export const readReplies = (text: string): ReplyMessage =>
  (JSON.parse(text) as [string, number, unknown][]).map(
    ([incarnation, counter, reply]) => [incarnation, counter, readForm<Reply>('reply', reply, REPLY_UPCASTERS)] as const,
  );

/** The record of a command for its Idempotency-Key. */
export const writeOutcome = (outcome: Outcome, format: Format): string => writeForm(outcome, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no outcome */
export const readOutcome = (text: string): Outcome => readForm('remembered outcome', JSON.parse(text), OUTCOME_UPCASTERS);

function withEntries(outcome: StoredForm, step: (entry: StoredForm) => StoredForm): StoredForm {
  const { answer } = outcome as StoredOutcome;
  return answer?.entries ? { ...outcome, answer: { ...answer, entries: answer.entries.map(step) } } : outcome;
}
