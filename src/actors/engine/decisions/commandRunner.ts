// Runs the commands of accounts: the open draft consumes and answers each. A command takes effect once, before its
// deadline, and with an Idempotency-Key once for the key. A rule that throws parks its command and nothing else.

import type { Logger } from '../../../shared/logger.ts';
import { stateHashOf } from '../../../shared/stateHash.ts';
import type { Tracing } from '../../../shared/tracing/tracing.ts';
import { type Account, hasSeen } from '../../core/account/account.ts';
import type { EntryCause } from '../../core/messages/entry.ts';
import { type CommandEnvelope, isRequeued, isUndone, type SentReply } from '../../core/messages/envelope.ts';
import type { Outcome } from '../../core/messages/queryAnswer.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { MailboxCommand } from '../commit/mailbox.ts';
import { beginCommand, namesOf } from '../commit/spans.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import type { Resident } from '../memory/residents.ts';
import { type AnswerKey, answerRecordOf, outcomeOf, placeOf, withTail } from './answers.ts';
import type { EntryRecorder } from './entryRecorder.ts';
import type { JournalBounds } from './journalBounds.ts';

export interface CommandRunnerParts {
  readonly shard: number;
  readonly rules: Rules;
  readonly accounts: AccountsInMemory;
  /** True while an account cannot be brought into memory: only MongoDB has it, and is away. */
  readonly isAway: (accountId: string) => boolean;
  readonly recorder: EntryRecorder;
  /** Streams' entry ids of commands that must not be run again: two owners have died of them. */
  readonly condemned: ReadonlySet<string>;
  /** Streams' entry ids of commands of which Redis has said that they came too late. */
  readonly expired: ReadonlySet<string>;
  readonly bounds: JournalBounds;
  readonly idempotencyTtlMs: number;
  readonly metrics: ActorMetrics;
  readonly tracing: Tracing;
  readonly now: () => number;
  /** The time by which commands have their deadlines. */
  readonly realNow: () => number;
  readonly log: Logger;
}

/** A command that is run for an account. */
interface Run {
  readonly accountId: string;
  readonly command: MailboxCommand;
  readonly envelope: CommandEnvelope;
  readonly draft: CommitDraft;
  /** What Redis remembers for the command's Idempotency-Key; undefined = it was not asked. */
  readonly storedText: string | null | undefined;
}

export class CommandRunner {
  readonly #parts: CommandRunnerParts;

  constructor(parts: CommandRunnerParts) {
    this.#parts = parts;
  }

  /**
   * Consumes one command of an account that is in memory, in quarantine or away. One without a deadline waits for an account
   * that is away.
   * @param storedText what Redis remembers for the command's Idempotency-Key
   */
  run(accountId: string, command: MailboxCommand, draft: CommitDraft, storedText?: string | null): void {
    const { id, text, envelope } = command;
    if (envelope && envelope.deadlineMs === undefined && this.#parts.isAway(accountId)) return;
    draft.consume(accountId, id, Buffer.byteLength(text));
    if (envelope === undefined) {
      draft.seldom.park(accountId, text, 'unreadable', this.#parts.now());
      return;
    }
    const run: Run = { accountId, command, envelope, draft, storedText };
    if (envelope.trace === undefined) this.#reply(run);
    else this.#replyTraced(run);
  }

  #replyTraced(run: Run): void {
    const { accountId, command, envelope, draft } = run;
    const { tracing, shard } = this.#parts;
    const span = beginCommand(tracing, command, envelope, { shard, accountId });
    const journalChars = draft.journalChars;
    this.#reply(run);
    span?.decide.end();
    if (span !== undefined) draft.addSpan(span.command, draft.journalChars > journalChars);
  }

  #reply(run: Run): void {
    run.draft.replies.add(run.envelope, this.#parkedAgain(run, this.#answer(run)));
  }

  /** A dead letter that was requeued is one again when nothing of it was done, whoever still waits for that. */
  #parkedAgain({ accountId, command, envelope, draft }: Run, reply: SentReply): SentReply {
    if (!isRequeued(envelope) || !('failure' in reply) || !isUndone(reply.failure)) return reply;
    draft.seldom.park(accountId, command.text, `requeued, and not done: ${reply.failure}`, this.#parts.now());
    return { failure: 'parked' };
  }

  /** The first case that applies decides. */
  #answer(run: Run): SentReply {
    const { accountId, command, envelope, draft } = run;
    const { realNow, accounts, isAway, condemned, expired } = this.#parts;
    const resident = accounts.find(accountId);
    if (resident === undefined && isAway(accountId)) return { failure: 'away' };
    if (resident === undefined) return { failure: 'quarantined' };
    if (envelope.command.type !== 'query' && hasSeen(resident.account, envelope.id)) {
      return this.#remembered(run) ?? { failure: 'answered' };
    }
    const { deadlineMs } = envelope;
    if (deadlineMs !== undefined) {
      if (expired.has(command.id) || realNow() > deadlineMs) return { failure: 'expired' };
      // A question takes no effect: a commit with nothing else is never too late.
      if (envelope.command.type !== 'query') draft.limitTo(deadlineMs, command.id);
    }
    resident.lastUsedAt = performance.now();

    const remembered = this.#remembered(run);
    if (remembered !== undefined) return remembered;
    if (condemned.has(command.id)) return this.#park(resident, run, 'two owners died of it');
    const refusal = this.#parts.bounds.refusal(resident.tail.journalBytes, envelope, realNow());
    if (refusal !== undefined) return { failure: refusal };
    return this.#decide(resident, run);
  }

  #decide(resident: Resident, run: Run, { isSecond }: { readonly isSecond: boolean } = { isSecond: false }): SentReply {
    const { accountId, envelope, draft } = run;
    const { rules, recorder, log } = this.#parts;
    const timeMs = recorder.timeFor(resident);
    let decision: ReturnType<Rules['decide']>;
    try {
      const context = recorder.context(timeMs, draft);
      const { key, command: asked } = envelope;
      decision = rules.decide(resident.account, asked, key === undefined ? context : { ...context, key });
    } catch (error) {
      log.error({ err: error, accountId, ...namesOf(envelope), type: envelope.command.type }, 'command parked');
      return this.#park(resident, run, String(error));
    }
    const { events, requests, outcome, leavesNoEntry } = decision;
    const isQuery = envelope.command.type === 'query';
    if (outcome.type === 'unknownAccount' || ((isQuery || leavesNoEntry) && events.length === 0))
      return this.#answered(resident, run, outcome);
    const cause = isQuery ? { timeMs, events } : { timeMs, command: envelope.id, requests, events };
    const isApplied = recorder.guard(resident, draft, envelope.command.type, () => recorder.apply(resident, draft, cause));
    if (!isApplied) return { failure: 'quarantined' };
    // What was due is an entry of its own: the answer is of the account after it, and names its number.
    if (isQuery && !isSecond) return this.#decide(resident, run, { isSecond: true });
    this.#remember(run, outcome);
    return this.#answered(resident, run, outcome);
  }

  /** A question is completed with what only the shard knows. */
  #answered({ account, tail }: Resident, { envelope, draft }: Run, outcome: Outcome): SentReply {
    const { command } = envelope;
    this.#noteReceipt(account, envelope, outcome, draft);
    if (command.type !== 'query') return { outcome };
    const isHashed = command.stateHash === true && outcome.type === 'answer';
    const named = isHashed ? { ...outcome, stateHash: stateHashOf(account) } : outcome;
    if (command.query.kind !== 'accountView') return withTail(named, command.query, tail, draft.format);
    return this.#parts.accounts.versions.withView(named, account, envelope, draft);
  }

  /** Who has posted a transfer, or a command for a what-if, and waits for no reply is told by a command of its own. */
  #noteReceipt({ id: to, fork }: Account, { command, replyTo }: CommandEnvelope, outcome: Outcome, draft: CommitDraft): void {
    const { accounts } = this.#parts;
    if (command.type === 'mirrored' && outcome.type === 'done') {
      const through = fork?.of === command.of ? fork.received : undefined;
      const told = through === undefined ? ({ through: 0, ended: true } as const) : { through };
      accounts.whatIfs.noteReceipt({ from: command.of, to, ...told }, draft.number);
    }
    if (command.type !== 'receiveTransfer' || replyTo !== undefined || outcome.type !== 'done') return;
    const { from, number } = command;
    accounts.transfers.noteReceipt({ from, to, number }, draft.number);
  }

  /** Into the dead letters, nothing done; its id is remembered like that of any command, so a resent one stays dead. */
  #park(resident: Resident, { accountId, command, envelope, draft }: Run, reason: string): SentReply {
    const { recorder, metrics } = this.#parts;
    const timeMs = recorder.timeFor(resident);
    metrics.onFault('parked');
    draft.seldom.park(accountId, command.text, reason, timeMs);
    if (resident.account.seq > 0 && envelope.command.type !== 'query') {
      const cause: EntryCause = { timeMs, command: envelope.id, events: [] };
      recorder.guard(resident, draft, 'parked command', () => recorder.apply(resident, draft, cause));
    }
    return { failure: 'parked' };
  }

  #remembered({ accountId, envelope: { idempotency }, draft, storedText }: Run): SentReply | undefined {
    if (idempotency === undefined) return undefined;
    const keyed: AnswerKey = { shard: this.#parts.shard, accountId, idempotency };
    const text = draft.answerRecord(placeOf(keyed)) ?? storedText;
    if (text === undefined || text === null) return undefined;
    const outcome = outcomeOf(text, keyed);
    return outcome === undefined ? { failure: 'keyReused' } : { outcome };
  }

  #remember({ accountId, envelope: { idempotency }, draft }: Run, outcome: Outcome): void {
    if (idempotency === undefined) return;
    const { shard, idempotencyTtlMs } = this.#parts;
    const { key, value } = answerRecordOf({ shard, accountId, idempotency }, outcome, draft.format);
    draft.seldom.recordAnswer(key, { value, ttlMs: idempotencyTtlMs, accountId });
  }
}
