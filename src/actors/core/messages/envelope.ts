// The messages between an API node and the actors: a command with its id, sender and deadline, and the reply to it.
// Both sides read these definitions; the text form is JSON.

import {
  type Format,
  readForm,
  type Step,
  type StoredForm,
  stepsWithin,
  type Upcasters,
  writeForm,
} from '../../../shared/domain/formats.ts';
import type { KeyGuard } from '../../../shared/domain/limits.ts';
import type { AccountCommand } from './command.ts';
import { type AccountEntry, type CommandId, ENTRY_UPCASTERS, entryWithin } from './entry.ts';
import type { Outcome } from './queryAnswer.ts';

export interface CommandEnvelope {
  readonly id: CommandId;
  /** Id of the API node that waits for the reply; names its replies channel. Absent = no node waits. */
  readonly replyTo?: string;
  readonly requestId: string;
  /** Past it the command is consumed as expired, so an unknown outcome is final by then. Absent = never. */
  readonly deadlineMs?: number;
  /** Key and digest of the request body, when the client sent an Idempotency-Key. */
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string };
  /** W3C `traceparent` of the span that the command belongs to, where it is traced. */
  readonly trace?: string;
  /** Limits of the API key that sends it, where it has any. */
  readonly key?: KeyGuard;
  readonly command: AccountCommand;
}

/** Why a command was consumed without an outcome. */
export type Failure =
  /** Its deadline had passed; nothing was done. */
  | 'expired'
  /** A rule threw; the command is parked in the dead-letter stream and nothing was done. */
  | 'parked'
  /** Its Idempotency-Key was used before with another body; nothing was done. */
  | 'keyReused'
  /** The account is quarantined after a fault; nothing was done. */
  | 'quarantined'
  /** Only MongoDB has the account, and is away; nothing was done. */
  | 'away'
  /** The account's entries, or those of its shard, fill the journal's bytes; nothing was done. */
  | 'accountJournalFull'
  | 'journalFull'
  /** It was consumed before and its reply was lost on the way: what became of it is final. */
  | 'answered';

/** True when the command was consumed, nothing was done, and it is no dead letter: who wants it done sends it again. */
export const isUndone = (failure: Failure): boolean => failure !== 'parked' && failure !== 'answered';

/** How the commands of operators are named in `CommandId`; an API node's name is followed by another point or fewer digits. */
export const operatorsIncarnation = (name: string): string => `operator.${name}`;
const OPERATORS_INCARNATION = /^operator\.[0-9a-f]{16}$/;

/** True for a dead letter that an operator has put back: of their other commands none changes anything. */
export const isRequeued = ({ id, command }: Pick<CommandEnvelope, 'id' | 'command'>): boolean =>
  command.type !== 'query' && OPERATORS_INCARNATION.test(id.incarnation);

/** `isKept`: too long for a message; the whole reply lies under a key of its own, where the API node takes it. */
export type Reply = { readonly outcome: Outcome } | { readonly failure: Failure } | { readonly isKept: true };

/** An entry that a commit has made true, to an API node that has a view of the account and follows it with that. */
export interface FollowedEntry {
  /** Of the owner that has committed it, as in `ViewSource`. */
  readonly token: string;
  /** As in `ViewSource`, after the entry. */
  readonly nextDueMs: number | null;
  readonly entry: AccountEntry;
}

/** What nobody has asked for: it comes under the counter 0, which no command has. */
interface Followed {
  readonly followed: FollowedEntry;
}

/** One published message holds what a commit tells one API node: replies, by the counter of their commands, and entries that it follows. */
export type ReplyMessage = readonly (readonly [incarnation: string, counter: number, reply: Reply | Followed])[];

/**
 * A commit that reaches Redis later than this after the earliest deadline in it is refused, so whether a command took
 * effect is final this long after its deadline. Clocks of API, actors and Redis must agree better than this, ms.
 */
export const FINAL_AFTER_DEADLINE_MS = 1000;

// Command envelopes, replies and remembered outcomes as text, and the reading of those of older generations.

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

type ReplyTexts =
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
