// Sends commands from the API node to the accounts. It puts commands into their mailboxes, with one script call for
// all that came in meanwhile, and gives each sender the reply that the actor's commit publishes. A command whose
// outcome is not known at the end of its time is answered 504; the gateway never guesses.
import { randomBytes } from 'node:crypto';
import type { AccountCommand } from '../../actors/domain/messages/command.ts';
import { generationOf } from '../../actors/domain/messages/commandGenerations.ts';
import {
  type CommandEnvelope,
  type Failure,
  FINAL_AFTER_DEADLINE_MS,
  type Reply,
} from '../../actors/domain/messages/envelope.ts';
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
import { submitScript, submitted } from '../../shared/redis/submitScript.ts';
import type { SendOptions } from './accountGateway.ts';
import { keyReused } from './idempotencyKey.ts';

/** Commands without an answer at one API node; one more is refused, because a stalled shard would fill the node's memory. */
const WAITING_MAX = 20_000;
/** Commands in one script call: Redis serves no other call while it runs (about 10 µs each). */
const SUBMIT_MAX = 500;
/** How long a command waits here for a connection to Redis before it is refused undone, ms. */
const SUBMIT_WITHIN_MS = 2000;
/** How often the gateway looks for overdue commands, ms. */
const OVERDUE_EVERY_MS = 100;

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
  readonly config: Pick<Config, 'SHARDS' | 'MAILBOX_MAX' | 'JOURNAL_MAX' | 'COMMAND_DEADLINE_MS'>;
  readonly log: Logger;
  readonly now: () => number;
  readonly nodeId: string;
}

export class CommandGateway {
  readonly #parts: CommandGatewayParts;
  /** Names this life of this process: commands of an earlier one are never confused with its own. */
  readonly #incarnation: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #lanes = new Map<number, Lane>();
  #counter = 0;
  #turnPlanned = false;
  #overdueTimer: NodeJS.Timeout | undefined;

  constructor(parts: CommandGatewayParts) {
    this.#parts = parts;
    this.#incarnation = `${parts.nodeId}.${randomBytes(4).toString('hex')}`;
  }

  /** Commands without an answer so far. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Listens for replies; resolves when it does. */
  async start(): Promise<void> {
    const { subscriber } = this.#parts;
    subscriber.on('message', this.#onMessage);
    await subscriber.subscribe(repliesChannel(this.#incarnation));
    this.#overdueTimer = setInterval(() => this.#answerOverdue(), OVERDUE_EVERY_MS);
  }

  /** Answers the waiting commands with 504, or with 503 when they never left this process. */
  async stop(): Promise<void> {
    const { subscriber } = this.#parts;
    clearInterval(this.#overdueTimer);
    subscriber.off('message', this.#onMessage);
    for (const waiting of [...this.#waiting.values()]) this.#answerUnfinished(waiting);
    if (subscriber.status === 'ready') await subscriber.unsubscribe(repliesChannel(this.#incarnation));
  }

  /**
   * Sends a command and waits for its outcome.
   * @throws {RequestError} 422 `idempotency_mismatch`, 429 `mailbox_full`, 500 `internal_error`, 503 `journal_full`,
   *   `store_unavailable` (also for a command that pods of an older build would not know), `expired` or
   *   `account_quarantined` (in all of these nothing was done), 504 `outcome_unknown`
   */
  send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    const { config, formats, now } = this.#parts;
    if (this.#waiting.size >= WAITING_MAX) return Promise.reject(storeUnavailable());
    if (generationOf(command) > formats.current) return Promise.reject(upgradeUnderWay());
    const nowMs = now();
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
        resolve,
        reject,
      };
      this.#waiting.set(counter, waiting);
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
    if (lane.inFlight || lane.queue.length === 0 || this.#parts.redis.status !== 'ready') return;
    const batch: Waiting[] = [];
    while (batch.length < SUBMIT_MAX) {
      const waiting = lane.queue.shift();
      if (waiting === undefined) break;
      if (this.#waiting.has(waiting.counter)) batch.push(waiting);
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
    const keys: string[] = [];
    const args: (string | number)[] = [config.MAILBOX_MAX, config.JOURNAL_MAX];
    const inOrder: Waiting[] = [];
    for (const [shard, ofShard] of byShard(batch)) {
      keys.push(shardKeys.pending(shard), shardKeys.journal(shard), shardKeys.sequence(shard));
      args.push(shardKeys.wakeup(shard), ofShard.length);
      for (const waiting of ofShard) {
        const { accountId, envelope, idempotency } = waiting;
        keys.push(shardKeys.commands(shard, accountId));
        if (idempotency) keys.push(shardKeys.idempotency(shard, accountId, idempotency.key));
        args.push(accountId, envelope, idempotency?.bodyDigest ?? '');
        inOrder.push(waiting);
      }
    }
    const answers = (await submitScript.run(redis, keys, args)) as (number | string)[];
    for (const [i, waiting] of inOrder.entries()) this.#onSubmitted(waiting, answers[i] as number | string);
  }

  #onSubmitted(waiting: Waiting, answer: number | string): void {
    if (answer === submitted.queued || !this.#waiting.has(waiting.counter)) return;
    const outcome = typeof answer === 'string' ? this.#readable(() => readOutcome(answer)) : refusal(answer);
    if (outcome === undefined) return;
    this.#waiting.delete(waiting.counter);
    if (outcome instanceof RequestError) waiting.reject(outcome);
    else waiting.resolve(outcome);
  }

  /** After an error reply nothing was written. After a broken connection the reply may still come. */
  #onSubmitError(batch: readonly Waiting[], error: Error): void {
    this.#parts.log.warn({ reason: error.message, commands: batch.length }, 'submit failed');
    if (!isReplyError(error)) return;
    for (const waiting of batch) {
      if (this.#waiting.delete(waiting.counter)) waiting.reject(storeUnavailable());
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
    if (waiting === undefined) return;
    this.#waiting.delete(counter);
    if ('outcome' in reply) waiting.resolve(reply.outcome);
    else waiting.reject(failure(reply.failure, this.#parts.config.COMMAND_DEADLINE_MS));
  }

  /** Commands are in the order of their deadlines, so the first that is not overdue ends the search. */
  #answerOverdue(): void {
    const nowMs = this.#parts.now();
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

function refusal(answer: number): RequestError {
  switch (answer) {
    case submitted.mailboxFull:
      return new RequestError(429, 'mailbox_full', 'Too many requests of this account are waiting; nothing was done.', {
        'Retry-After': '1',
      });
    case submitted.journalFull:
      return new RequestError(503, 'journal_full', 'The journal is full; nothing was done. Try again later.', {
        'Retry-After': '5',
      });
    case submitted.keyReused:
      return keyReused();
    default:
      return new RequestError(500, 'internal_error', 'Internal error; nothing was done.');
  }
}

function failure(reason: Failure, deadlineMs: number): RequestError {
  switch (reason) {
    case 'expired':
      return new RequestError(503, 'expired', `The request was not begun within ${deadlineMs} ms; nothing was done.`, {
        'Retry-After': '1',
      });
    case 'parked':
      return new RequestError(500, 'internal_error', 'Internal error; nothing was done.');
    case 'quarantined':
      return new RequestError(503, 'account_quarantined', 'The account is halted after an internal error; nothing was done.');
    case 'keyReused':
      return keyReused();
  }
}

const upgradeUnderWay = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'This is offered when the upgrade of the service is finished; nothing was done.');

const storeUnavailable = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'The service cannot take requests at the moment; nothing was done.', {
    'Retry-After': '1',
  });

const outcomeUnknown = (settledAtMs: number): RequestError =>
  new RequestError(
    504,
    'outcome_unknown',
    `No answer came in time: the outcome is unknown until ${new Date(settledAtMs).toISOString()}; from then on the request has either ` +
      'taken effect or never will. Ask orderStatus with the cloid, openOrders or userFills, or repeat the request with the same Idempotency-Key.',
  );
