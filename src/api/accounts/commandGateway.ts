// Sends commands from the API node to the accounts. It puts commands into their mailboxes, with one script call for
// all that came in meanwhile, and gives each sender the reply that the actor's commit publishes. A command whose
// outcome is not known at the end of its time is answered 504; the gateway never guesses.
import { randomBytes } from 'node:crypto';
import type { AccountCommand } from '../../actors/domain/messages/command.ts';
import { generationOf } from '../../actors/domain/messages/commandGenerations.ts';
import { type CommandEnvelope, FINAL_AFTER_DEADLINE_MS, type Reply } from '../../actors/domain/messages/envelope.ts';
import { readOutcome, readReplies, writeEnvelope } from '../../actors/domain/messages/envelopeForm.ts';
import type { Outcome } from '../../actors/domain/messages/outcome.ts';
import type { Config } from '../../shared/config.ts';
import { type FormatSource, NewerFormat } from '../../shared/domain/formats.ts';
import { shardOf } from '../../shared/domain/shardOf.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { repliesChannel, shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { isReplyError } from '../../shared/redis/script.ts';
import { type SubmitBounds, submitCall, submitScript, submitted } from '../../shared/redis/submitScript.ts';
import { readRememberedAnswer } from '../../shared/rememberedAnswer.ts';
import { waitAtMost } from '../../shared/waitAtMost.ts';
import type { SendOptions } from './accountGateway.ts';
import { answerLost, failure, outcomeUnknown, refusal, storeUnavailable, upgradeUnderWay } from './commandErrors.ts';
import { KeptReplies } from './keptReplies.ts';
import { WaitingCommands } from './waitingCommands.ts';

/** Commands in one script call: Redis serves no other call while it runs (about 10 µs each). */
const SUBMIT_MAX = 500;
/** Characters of commands in one script call, but for a single command. */
const SUBMIT_CHARS_MAX = 1_000_000;
/** How long a command waits here for a connection to Redis before it is refused undone, ms. */
const SUBMIT_WITHIN_MS = 2000;
/** How often the gateway looks for overdue commands, ms. */
const OVERDUE_EVERY_MS = 100;

/** A stop does not wait longer than this for a connection that may be dead, ms. */
const UNSUBSCRIBE_WITHIN_MS = 1000;

interface Waiting {
  readonly counter: number;
  readonly shard: number;
  readonly accountId: string;
  readonly envelope: string;
  readonly idempotency: SendOptions['idempotency'];
  readonly submitByMs: number;
  /** From this time on the outcome is final; a reply that has not come by then will not come. */
  readonly finalAtMs: number;
  handedOver: boolean;
  /** It is sent a second time: whether the first one had an effect is not known from what the second one meets on its way. */
  isResent: boolean;
  /** Its reply has come and is being taken from where it lies. */
  isAnswered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: RequestError) => void;
}

/** Commands on their way to one Redis node: one script call in flight keeps them in the order of their counters. */
interface Lane {
  readonly queue: Waiting[];
  inFlight: boolean;
}

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
}

export class CommandGateway {
  readonly #parts: CommandGatewayParts;
  /** Names this life of this process: commands of an earlier one are never confused with its own. */
  readonly #incarnation: string;
  readonly #waiting = new WaitingCommands<Waiting>();
  readonly #lanes = new Map<number, Lane>();
  readonly #kept: KeptReplies;
  #counter = 0;
  #turnPlanned = false;
  /** While replies are not heard nothing is submitted: it would have its effect, and its sender would not be told. */
  #isHearing = true;
  #overdueTimer: NodeJS.Timeout | undefined;

  constructor(parts: CommandGatewayParts) {
    this.#parts = parts;
    this.#incarnation = `${parts.nodeId}.${randomBytes(4).toString('hex')}`;
    this.#kept = new KeptReplies(parts.redis);
  }

  /** Commands without an answer so far. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Listens for replies; resolves when it does. */
  async start(): Promise<void> {
    const { subscriber } = this.#parts;
    subscriber.on('message', this.#onMessage);
    subscriber.on('close', this.#onAway);
    await subscriber.subscribe(repliesChannel(this.#incarnation));
    this.#overdueTimer = setInterval(() => this.#answerOverdue(), OVERDUE_EVERY_MS);
  }

  /** Answers the waiting commands with 504, or with 503 when they never left this process. */
  async stop(): Promise<void> {
    const { subscriber } = this.#parts;
    clearInterval(this.#overdueTimer);
    subscriber.off('message', this.#onMessage);
    subscriber.off('close', this.#onAway);
    subscriber.off('ready', this.#onBack);
    for (const waiting of [...this.#waiting.values()]) this.#answerUnfinished(waiting);
    if (subscriber.status !== 'ready') return;
    await waitAtMost(UNSUBSCRIBE_WITHIN_MS, subscriber.unsubscribe(repliesChannel(this.#incarnation)));
  }

  /**
   * Sends a command and waits for its outcome.
   * @throws {RequestError} 422 `idempotency_mismatch`, 429 `mailbox_full` or `answers_full`, 500 `internal_error`,
   *   503 `journal_full`, `account_journal_full`,
   *   `store_unavailable` (also for a command that pods of an older build would not know), `expired` or
   *   `account_quarantined` (in all of these nothing was done), 504 `outcome_unknown`
   */
  send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    const { config, formats, realNow } = this.#parts;
    if (this.#waiting.isFull) return Promise.reject(storeUnavailable());
    if (this.#waiting.charsOf(accountId) >= config.MAILBOX_BYTES) return Promise.reject(refusal(submitted.mailboxFull));
    if (generationOf(command) > formats.current) return Promise.reject(upgradeUnderWay());
    const nowMs = realNow();
    this.#counter += 1;
    const counter = this.#counter;
    const deadlineMs = nowMs + config.COMMAND_DEADLINE_MS;
    const envelope: CommandEnvelope = {
      id: { incarnation: this.#incarnation, counter },
      replyTo: this.#incarnation,
      requestId: options.requestId,
      deadlineMs,
      ...(options.idempotency && { idempotency: options.idempotency }),
      command,
    };
    return new Promise((resolve, reject) => {
      const shard = shardOf(accountId, config.SHARDS);
      const waiting: Waiting = {
        counter,
        shard,
        accountId,
        envelope: writeEnvelope(envelope, formats.current),
        idempotency: options.idempotency,
        submitByMs: nowMs + Math.min(SUBMIT_WITHIN_MS, config.COMMAND_DEADLINE_MS),
        finalAtMs: deadlineMs + FINAL_AFTER_DEADLINE_MS,
        handedOver: false,
        isResent: false,
        isAnswered: false,
        resolve,
        reject,
      };
      this.#waiting.add(waiting);
      this.#laneOf(shard).queue.push(waiting);
      this.#planTurn();
    });
  }

  /** A script call may touch one slot only in a cluster; a single Redis takes all shards in one. */
  #laneOf(shard: number): Lane {
    const id = this.#parts.redis.isCluster ? shard : 0;
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { queue: [], inFlight: false };
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  #planTurn(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    setImmediate(() => {
      this.#turnPlanned = false;
      for (const lane of this.#lanes.values()) this.#submitFrom(lane);
    });
  }

  #submitFrom(lane: Lane): void {
    if (lane.inFlight || lane.queue.length === 0 || !this.#isHearing || this.#parts.redis.status !== 'ready') return;
    const batch: Waiting[] = [];
    let chars = 0;
    while (batch.length < SUBMIT_MAX) {
      const [next] = lane.queue;
      if (next === undefined || (chars > 0 && chars + next.envelope.length > SUBMIT_CHARS_MAX)) break;
      lane.queue.shift();
      if (!this.#waiting.has(next.counter)) continue;
      chars += next.envelope.length;
      batch.push(next);
    }
    if (batch.length === 0) return;
    lane.inFlight = true;
    for (const waiting of batch) waiting.handedOver = true;
    this.#submit(batch)
      .catch((error: Error) => this.#onSubmitError(batch, error))
      .finally(() => {
        lane.inFlight = false;
        this.#submitFrom(lane);
      });
  }

  async #submit(batch: readonly Waiting[]): Promise<void> {
    const { redis, config } = this.#parts;
    const groups = byShard(batch);
    const inOrder = [...groups.values()].flat();
    const { keys, args } = submitCall(config, groups);
    const answers = (await submitScript.run(redis, keys, args)) as (number | string)[];
    for (const [i, waiting] of inOrder.entries()) this.#onSubmitted(waiting, answers[i] as number | string);
  }

  #onSubmitted(waiting: Waiting, answer: number | string): void {
    if (answer === submitted.queued || !this.#waiting.has(waiting.counter)) return;
    const outcome = typeof answer === 'string' ? this.#remembered(waiting, answer) : this.#refused(waiting, answer);
    if (outcome === undefined) return;
    this.#waiting.delete(waiting.counter);
    if (outcome instanceof RequestError) waiting.reject(outcome);
    else waiting.resolve(outcome);
  }

  #remembered({ accountId, idempotency }: Waiting, answer: string): Outcome | undefined {
    return this.#readable(() => readOutcome(readRememberedAnswer(answer, accountId, idempotency?.key ?? '')));
  }

  #refused({ isResent, finalAtMs }: Waiting, answer: number): RequestError {
    return isResent ? outcomeUnknown(finalAtMs) : refusal(answer);
  }

  /** After an error reply nothing was written. After a broken connection the reply may still come. */
  #onSubmitError(batch: readonly Waiting[], error: Error): void {
    this.#parts.log.warn({ reason: error.message, commands: batch.length }, 'submit failed');
    if (!isReplyError(error)) return;
    for (const waiting of batch) {
      if (this.#waiting.delete(waiting.counter))
        waiting.reject(waiting.isResent ? outcomeUnknown(waiting.finalAtMs) : storeUnavailable());
    }
  }

  readonly #onMessage = (channel: string, text: string): void => {
    if (channel !== repliesChannel(this.#incarnation)) return;
    for (const [incarnation, counter, reply] of this.#readable(() => readReplies(text)) ?? []) {
      if (incarnation === this.#incarnation) this.#onReply(counter, reply);
    }
  };

  /** Undefined for what a newer build has answered: its commands wait until their outcome counts as unknown. */
  #readable<Answer>(read: () => Answer): Answer | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      this.#parts.log.error({ reason: error.message }, 'an answer cannot be read');
      return undefined;
    }
  }

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

  #takeKept(waiting: Waiting): void {
    const { shard, counter } = waiting;
    this.#kept.take(shardKeys.reply(shard, this.#incarnation, counter)).then(
      (text) => {
        const reply = text === null ? undefined : this.#readable(() => readReplies(text))?.[0]?.[2];
        waiting.isAnswered = false;
        if (reply !== undefined) this.#onReply(counter, reply);
        else if (this.#waiting.delete(counter)) waiting.reject(answerLost());
      },
      (error: Error) => {
        this.#parts.log.warn({ reason: error.message }, 'a long reply cannot be taken');
        if (this.#waiting.delete(counter)) waiting.reject(answerLost());
      },
    );
  }

  /** Replies that are published while the subscriber is away are lost, and Redis ends a subscriber that it cannot get rid of 32 MB. */
  readonly #onAway = (): void => {
    this.#isHearing = false;
    this.#parts.subscriber.off('ready', this.#onBack);
    this.#parts.subscriber.once('ready', this.#onBack);
  };

  /** What was on its way meanwhile is sent again as it was: a question is asked again, a command that was decided is answered so. */
  readonly #onBack = (): void => {
    const { subscriber, log } = this.#parts;
    subscriber.subscribe(repliesChannel(this.#incarnation)).then(
      () => {
        this.#isHearing = true;
        const lost = [...this.#waiting.values()].filter(({ handedOver, isAnswered }) => handedOver && !isAnswered);
        if (lost.length > 0) log.warn({ commands: lost.length }, 'replies may have been lost, asking again');
        for (const waiting of lost) {
          waiting.isResent = true;
          this.#laneOf(waiting.shard).queue.push(waiting);
        }
        this.#planTurn();
      },
      (error: Error) => log.warn({ reason: error.message }, 'replies cannot be heard'),
    );
  };

  /** Commands are in the order of their deadlines, so the first that is not overdue ends the search. */
  #answerOverdue(): void {
    const nowMs = this.#parts.realNow();
    for (const waiting of this.#waiting.values()) {
      if (nowMs < waiting.submitByMs) break;
      if (nowMs >= waiting.finalAtMs || !waiting.handedOver) this.#answerUnfinished(waiting);
    }
    this.#planTurn();
  }

  #answerUnfinished(waiting: Waiting): void {
    this.#waiting.delete(waiting.counter);
    waiting.reject(waiting.handedOver ? outcomeUnknown(waiting.finalAtMs) : storeUnavailable());
  }
}

function byShard(batch: readonly Waiting[]): Map<number, Waiting[]> {
  const groups = new Map<number, Waiting[]>();
  for (const waiting of batch) {
    const group = groups.get(waiting.shard);
    if (group) group.push(waiting);
    else groups.set(waiting.shard, [waiting]);
  }
  return groups;
}
