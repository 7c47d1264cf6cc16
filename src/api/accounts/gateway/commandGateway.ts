// Sends commands from the API node to the accounts: into their mailboxes (submitLanes.ts), and gives each sender the reply
// that the actor's commit publishes (repliesHeard.ts). A user is stored before the account is opened, so a crash between the two leaves
// a user without an account: the next command finds that out here and opens it. A command whose outcome is not known at the end of its time is
// answered 504; the gateway never guesses.
import { randomBytes } from 'node:crypto';
import { type AccountCommand, generationOf } from '../../../actors/core/messages/command.ts';
import {
  type CommandEnvelope,
  FINAL_AFTER_DEADLINE_MS,
  type Reply,
  readOutcome,
  readReplies,
  writeEnvelope,
} from '../../../actors/core/messages/envelope.ts';
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import type { Config } from '../../../shared/config/config.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { type FormatSource, NewerFormat } from '../../../shared/domain/formats.ts';
import { shardOf } from '../../../shared/domain/shards.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { answerPlace, openAnswer } from '../../../shared/redis/rememberedAnswers.ts';
import { isReplyError } from '../../../shared/redis/script.ts';
import { type SubmitBounds, submitted } from '../../../shared/redis/submitScript.ts';
import { createSeldomLog, type SeldomLog } from '../../access/limits/seldomLog.ts';
import { type AccountGateway, openAccount, type SendOptions } from '../accountGateway.ts';
import { answerLost, failure, outcomeUnknown, refusal, storeUnavailable, upgradeUnderWay } from '../commandErrors.ts';
import { KeptReplies, RepliesHeard } from './repliesHeard.ts';
import { endingWith, SubmitLanes, spanOfCommand, type WaitingCommand, WaitingCommands } from './waitingCommands.ts';

/** How long a command waits here for a connection to Redis before it is refused undone, ms. */
const SUBMIT_WITHIN_MS = 2000;
/** How often the gateway looks for overdue commands, ms. */
const OVERDUE_EVERY_MS = 100;

export interface CommandGatewayParts {
  /** Shared connection for commands. */
  readonly redis: Redis;
  /** A connection of the gateway's own; not closed here. */
  readonly subscriber: Redis;
  readonly formats: FormatSource;
  readonly config: Pick<Config, 'SHARDS' | 'COMMAND_DEADLINE_MS'> & SubmitBounds;
  readonly log: Logger;
  /** Real time, ms since the epoch: commands have their deadlines by it. */
  readonly realNow: () => number;
  readonly nodeId: string;
  /** What comes before a command; absent: nothing. @returns a promise where the command has to wait for it */
  readonly before?: (accountId: string, command: AccountCommand, options: SendOptions) => Promise<void> | undefined;
}

export class CommandGateway implements Pick<AccountGateway, 'send'> {
  readonly #parts: CommandGatewayParts;
  readonly #log: SeldomLog;
  /** Names this life of this process: commands of an earlier one are never confused with its own. */
  readonly #incarnation: string;
  readonly #waiting: WaitingCommands<WaitingCommand>;
  readonly #lanes: SubmitLanes;
  /** What it hears beside replies is heard with `follow`. */
  readonly replies: RepliesHeard;
  readonly #kept: KeptReplies;
  #counter = 0;
  #overdueTimer: NodeJS.Timeout | undefined;

  constructor(parts: CommandGatewayParts) {
    this.#parts = parts;
    this.#incarnation = `${parts.nodeId}.${randomBytes(4).toString('hex')}`;
    this.#log = createSeldomLog(parts.log);
    this.#waiting = new WaitingCommands({ charsOfAccountMax: parts.config.MAILBOX_BYTES });
    this.#kept = new KeptReplies(parts.redis);
    this.replies = new RepliesHeard({
      ...{ subscriber: parts.subscriber, incarnation: this.#incarnation, shards: parts.config.SHARDS, readable: this.#readable },
      onReply: (counter, reply) => this.#onReply(counter, reply),
      onBack: (isOfThese) => this.#askAgain(isOfThese),
    });
    this.#lanes = new SubmitLanes({
      ...{ redis: parts.redis, config: parts.config },
      isOpen: (shard) => this.replies.isHearing(shard),
      isWaiting: (counter) => this.#waiting.has(counter),
      onSubmitted: (waiting, answer) => this.#onSubmitted(waiting, answer),
      onError: (batch, error) => this.#onSubmitError(batch, error),
    });
  }

  /** Commands without an answer so far. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Listens for replies; resolves when it does. */
  async start(): Promise<void> {
    await this.replies.start();
    this.#overdueTimer = setInterval(() => this.#answerOverdue(), OVERDUE_EVERY_MS);
  }

  /** Answers the waiting commands with 504, or with 503 when they never left this process. */
  async stop(): Promise<void> {
    clearInterval(this.#overdueTimer);
    for (const waiting of [...this.#waiting.values()]) this.#answerUnfinished(waiting);
    await this.replies.stop();
  }

  /**
   * Sends a command and waits for its outcome.
   * @throws {RequestError} 422 `idempotency_mismatch`, 429 `mailbox_full` or `answers_full`, 500 `internal_error`,
   *   503 `journal_full`, `account_journal_full`,
   *   `store_unavailable` (also for a command that pods of an older build would not know), `expired` or
   *   `account_quarantined`, `account_away` (in all of these nothing was done), 504 `outcome_unknown`
   */
  async send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    const before = this.#parts.before?.(accountId, command, options);
    if (before !== undefined) await before;
    const outcome = await this.#submit(accountId, command, options);
    if (outcome.type !== 'unknownAccount' || options.staysUnopened) return outcome;
    await openAccount({ send: this.#submit }, accountId, options);
    const second = await this.#submit(accountId, command, options);
    assert(second.type !== 'unknownAccount', 'an account that was opened is known');
    return second;
  }

  readonly #submit = (accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> => {
    const { config, formats, realNow } = this.#parts;
    const full = this.#whyFull(accountId, 1);
    if (full !== undefined) return Promise.reject(full);
    if (generationOf(command) > formats.current) return Promise.reject(upgradeUnderWay());
    const nowMs = realNow();
    const counter = ++this.#counter;
    const deadlineMs = nowMs + config.COMMAND_DEADLINE_MS;
    const shard = shardOf(accountId, config.SHARDS);
    const trace = spanOfCommand(options, { accountId, shard, command });
    const content: CommandEnvelope = {
      id: { incarnation: this.#incarnation, counter },
      replyTo: this.#incarnation,
      requestId: options.requestId,
      deadlineMs,
      ...(options.idempotency && { idempotency: options.idempotency }),
      ...(trace && { trace: trace.place }),
      ...(options.key && { key: options.key }),
      command,
    };
    const envelope = writeEnvelope(content, formats.current);
    const tooMuch = this.#whyFull(accountId, envelope.length);
    return new Promise((resolve, reject) => {
      const settling = endingWith(trace, { resolve, reject });
      if (tooMuch !== undefined) return settling.reject(tooMuch);
      const waiting: WaitingCommand = {
        counter,
        shard,
        accountId,
        envelope,
        idempotency: options.idempotency,
        trace,
        submitByMs: nowMs + Math.min(SUBMIT_WITHIN_MS, config.COMMAND_DEADLINE_MS),
        finalAtMs: deadlineMs + FINAL_AFTER_DEADLINE_MS,
        handedOver: false,
        isResent: false,
        isAnswered: false,
        ...settling,
      };
      this.#waiting.add(waiting);
      this.#lanes.add(waiting);
    });
  };

  #whyFull(accountId: string, chars: number): RequestError | undefined {
    const full = this.#waiting.refusal(accountId, chars);
    if (full === undefined) return undefined;
    return full === 'each' ? refusal(submitted.mailboxFull) : storeUnavailable();
  }

  #onSubmitted(waiting: WaitingCommand, answer: number | string): void {
    if (answer === submitted.queued || !this.#waiting.has(waiting.counter)) return;
    const outcome = typeof answer === 'string' ? this.#remembered(waiting, answer) : this.#refused(waiting, answer);
    if (outcome === undefined) return;
    this.#waiting.delete(waiting.counter);
    if (outcome instanceof RequestError) waiting.reject(outcome);
    else waiting.resolve(outcome);
  }

  #remembered({ accountId, idempotency }: WaitingCommand, answer: string): Outcome | undefined {
    return this.#readable(() => readOutcome(openAnswer(answer, answerPlace(accountId, idempotency?.key ?? '').seal)));
  }

  #refused({ isResent, finalAtMs }: WaitingCommand, answer: number): RequestError {
    return isResent ? outcomeUnknown(finalAtMs) : refusal(answer);
  }

  /** After an error reply nothing was written. After a broken connection the reply may still come. */
  #onSubmitError(batch: readonly WaitingCommand[], error: Error): void {
    this.#log.warn('submit', { reason: error.message, commands: batch.length }, 'submit failed');
    if (!isReplyError(error)) return;
    for (const waiting of batch) {
      if (this.#waiting.delete(waiting.counter))
        waiting.reject(waiting.isResent ? outcomeUnknown(waiting.finalAtMs) : storeUnavailable());
    }
  }

  /** Undefined for what a newer build has answered: its commands wait until their outcome counts as unknown. */
  readonly #readable = <Answer>(read: () => Answer): Answer | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      this.#log.error('read', { reason: error.message }, 'an answer cannot be read');
      return undefined;
    }
  };

  #onReply(counter: number, reply: Reply): void {
    const waiting = this.#waiting.get(counter);
    if (waiting === undefined || waiting.isAnswered) return;
    if ('isKept' in reply) {
      waiting.isAnswered = true;
      this.#takeKept(waiting);
      return;
    }
    this.#waiting.delete(counter);
    if ('outcome' in reply) waiting.resolve(reply.outcome);
    else if (waiting.isResent && reply.failure !== 'expired') waiting.reject(answerLost());
    else waiting.reject(failure(reply.failure, this.#parts.config.COMMAND_DEADLINE_MS));
  }

  #takeKept(waiting: WaitingCommand): void {
    const { shard, counter } = waiting;
    this.#kept.take(shardKeys.reply(shard, this.#incarnation, counter)).then(
      (text) => {
        const reply = text === null ? undefined : this.#readable(() => readReplies(text))?.[0]?.[2];
        waiting.isAnswered = false;
        if (reply !== undefined) this.#onReply(counter, reply);
        else if (this.#waiting.delete(counter)) waiting.reject(answerLost());
      },
      (error: Error) => {
        this.#log.warn('long reply', { reason: error.message }, 'a long reply cannot be taken');
        if (this.#waiting.delete(counter)) waiting.reject(answerLost());
      },
    );
  }

  /** What was on its way meanwhile is sent again as it was: a question is asked again, a command that was decided is answered so. */
  #askAgain(isOfThese: (shard: number) => boolean): void {
    const lost = [...this.#waiting.values()].filter(
      ({ shard, handedOver, isAnswered }) => handedOver && !isAnswered && isOfThese(shard),
    );
    if (lost.length > 0) this.#parts.log.warn({ commands: lost.length }, 'replies may have been lost, asking again');
    for (const waiting of lost) {
      waiting.isResent = true;
      this.#lanes.add(waiting);
    }
    this.#lanes.planTurn();
  }

  /** Commands are in the order of their deadlines, so the first that is not overdue ends the search. */
  #answerOverdue(): void {
    const nowMs = this.#parts.realNow();
    for (const waiting of this.#waiting.values()) {
      if (nowMs < waiting.submitByMs) break;
      if (nowMs >= waiting.finalAtMs || !waiting.handedOver) this.#answerUnfinished(waiting);
    }
    this.#lanes.planTurn();
  }

  #answerUnfinished(waiting: WaitingCommand): void {
    this.#waiting.delete(waiting.counter);
    waiting.reject(waiting.handedOver ? outcomeUnknown(waiting.finalAtMs) : storeUnavailable());
  }
}
