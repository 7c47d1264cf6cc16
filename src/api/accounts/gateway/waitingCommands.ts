// Commands on their way: those whose senders wait for a reply, the spans of the traced ones, and the lanes into the mailboxes.
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import { getOrMake, groupedBy } from '../../../shared/domain/groups.ts';
import type { RequestError } from '../../../shared/errors.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { scriptLaneOf } from '../../../shared/redis/script.ts';
import { type SubmitBounds, submitCall, submitScript } from '../../../shared/redis/submitScript.ts';
import type { Span } from '../../../shared/tracing/tracing.ts';
import { type NoShare, Shares } from '../../access/limits/shares.ts';
import type { SendOptions } from '../accountGateway.ts';

/** Commands, and characters of commands, that may wait at one node. */
const COMMANDS_MAX = 20_000;
const CHARS_MAX = 128_000_000;
/** Commands of one account; its mailbox takes fewer. */
const COMMANDS_EACH_MAX = COMMANDS_MAX / 2;

interface Counted {
  readonly counter: number;
  readonly accountId: string;
  readonly envelope: string;
}

/**
 * The commands of one API node that have no answer yet, in the order of their counters. They are bounded in number and in characters,
 * because a stalled shard, or a Redis that is away, would fill the node's memory with them. The fuller it is, the less may wait of one
 * account, so that a few accounts refuse no other.
 */
export class WaitingCommands<Waiting extends Counted> {
  readonly #byCounter = new Map<number, Waiting>();
  readonly #chars: Shares;
  readonly #commands = new Shares({ each: COMMANDS_EACH_MAX, all: COMMANDS_MAX });

  /** @param options.charsOfAccountMax characters of one account's commands */
  constructor(options: { charsOfAccountMax: number }) {
    this.#chars = new Shares({ each: options.charsOfAccountMax, all: CHARS_MAX });
  }

  get size(): number {
    return this.#byCounter.size;
  }

  /** Characters of all of them. */
  get chars(): number {
    return this.#chars.total;
  }

  /** Why no further command of an account may come: `each`, its own bound; `all`, that of the node. */
  refusal(accountId: string, chars: number): NoShare | undefined {
    return this.#commands.refusal(accountId) ?? this.#chars.refusal(accountId, chars);
  }

  /** Characters of one account's commands. */
  charsOf(accountId: string): number {
    return this.#chars.of(accountId);
  }

  add(waiting: Waiting): void {
    this.#byCounter.set(waiting.counter, waiting);
    this.#commands.put(waiting.accountId, 1);
    this.#chars.put(waiting.accountId, waiting.envelope.length);
  }

  has(counter: number): boolean {
    return this.#byCounter.has(counter);
  }

  get(counter: number): Waiting | undefined {
    return this.#byCounter.get(counter);
  }

  /** @returns false when it has been answered already */
  delete(counter: number): boolean {
    const waiting = this.#byCounter.get(counter);
    if (waiting === undefined) return false;
    this.#byCounter.delete(counter);
    this.#commands.give(waiting.accountId);
    this.#chars.give(waiting.accountId, waiting.envelope.length);
    return true;
  }

  values(): Iterable<Waiting> {
    return this.#byCounter.values();
  }
}

/** A command that its sender waits for. */
export interface WaitingCommand {
  readonly counter: number;
  readonly shard: number;
  readonly accountId: string;
  readonly envelope: string;
  readonly idempotency: SendOptions['idempotency'];
  /** Of the command, where it is traced. */
  readonly trace: Span | undefined;
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

interface Sent {
  readonly accountId: string;
  readonly shard: number;
  readonly command: AccountCommand;
}

interface Settling {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: RequestError) => void;
}

/** A command on its way to its account and back, as a span of the request that it belongs to. Undefined where the request is not traced. */
export function spanOfCommand({ trace, requestId }: SendOptions, { accountId, shard, command }: Sent): Span | undefined {
  if (trace === undefined) return undefined;
  const kind = command.type === 'query' ? command.query.kind : command.type;
  return trace.child('command', { kind: 'producer', fields: { requestId, accountId, shard, command: kind } });
}

/** Ends the span when the reply has come, or it is known that none will. */
export function endingWith(span: Span | undefined, settling: Settling): Settling {
  if (span === undefined) return settling;
  return {
    resolve: (outcome) => {
      span.end();
      settling.resolve(outcome);
    },
    reject: (error) => {
      span.end({ error: error.code });
      settling.reject(error);
    },
  };
}

/** Commands in one script call: Redis serves no other call while it runs (about 10 µs each). */
const SUBMIT_MAX = 500;
/** Characters of commands in one script call, but for a single command. */
const SUBMIT_CHARS_MAX = 1_000_000;

/** Commands on their way in one script call after another. */
interface Lane {
  /** As `scriptLaneOf` names it: on a cluster the shard. */
  readonly id: number;
  readonly queue: WaitingCommand[];
  inFlight: boolean;
}

interface SubmitLanesParts {
  readonly redis: Redis;
  readonly config: SubmitBounds;
  /** False while nothing may be submitted to the shard. */
  readonly isOpen: (shard: number) => boolean;
  /** False for a command that was answered meanwhile: it is not submitted. */
  readonly isWaiting: (counter: number) => boolean;
  readonly onSubmitted: (command: WaitingCommand, answer: number | string) => void;
  readonly onError: (batch: readonly WaitingCommand[], error: Error) => void;
}

/**
 * The way of commands into the mailboxes: one script call in flight, with all that came in meanwhile, keeps them in the order of their
 * counters.
 */
export class SubmitLanes {
  readonly #parts: SubmitLanesParts;
  readonly #lanes = new Map<number, Lane>();
  #turnPlanned = false;

  constructor(parts: SubmitLanesParts) {
    this.#parts = parts;
  }

  add(command: WaitingCommand): void {
    this.#laneOf(command.shard).queue.push(command);
    this.planTurn();
  }

  /** Submits what waits, after this turn of the event loop. */
  planTurn(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    setImmediate(() => {
      this.#turnPlanned = false;
      for (const lane of this.#lanes.values()) this.#submitFrom(lane);
    });
  }

  #laneOf(shard: number): Lane {
    const id = scriptLaneOf(this.#parts.redis, shard);
    return getOrMake(this.#lanes, id, () => ({ id, queue: [], inFlight: false }));
  }

  #submitFrom(lane: Lane): void {
    const { isOpen, redis, onError } = this.#parts;
    if (lane.inFlight || lane.queue.length === 0 || !isOpen(lane.id) || redis.status !== 'ready') return;
    const batch = this.#nextBatch(lane);
    if (batch.length === 0) return;
    lane.inFlight = true;
    for (const command of batch) command.handedOver = true;
    this.#submit(batch)
      .catch((error: Error) => onError(batch, error))
      .finally(() => {
        lane.inFlight = false;
        this.#submitFrom(lane);
      });
  }

  #nextBatch({ queue }: Lane): WaitingCommand[] {
    const batch: WaitingCommand[] = [];
    let chars = 0;
    while (batch.length < SUBMIT_MAX) {
      const [next] = queue;
      if (next === undefined || (chars > 0 && chars + next.envelope.length > SUBMIT_CHARS_MAX)) break;
      queue.shift();
      if (!this.#parts.isWaiting(next.counter)) continue;
      chars += next.envelope.length;
      batch.push(next);
    }
    return batch;
  }

  async #submit(batch: readonly WaitingCommand[]): Promise<void> {
    const { redis, config, onSubmitted } = this.#parts;
    const groups = groupedBy(batch, ({ shard }) => shard);
    const inOrder = [...groups.values()].flat();
    const { keys, args } = submitCall(config, groups);
    const spans = spansOf(batch);
    const answers = (await submitScript.run(redis, keys, args).finally(() => {
      for (const span of spans) span.end();
    })) as (number | string)[];
    for (const [i, command] of inOrder.entries()) onSubmitted(command, answers[i] as number | string);
  }
}

/** Of the script call, as a part of each command in it that is traced. */
function spansOf(batch: readonly WaitingCommand[]): Span[] {
  const spans: Span[] = [];
  for (const { trace, shard } of batch) {
    if (trace !== undefined) spans.push(trace.child('submit', { kind: 'client', fields: { store: 'redis', shard } }));
  }
  return spans;
}
