// The way of commands into the mailboxes: one script call in flight, with all that came in meanwhile, keeps them in the order
// of their counters.
import { getOrMake, groupedBy } from '../../../shared/domain/groups.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { scriptLaneOf } from '../../../shared/redis/script.ts';
import { type SubmitBounds, submitCall, submitScript } from '../../../shared/redis/submitScript.ts';
import type { Span } from '../../../shared/tracing/tracing.ts';
import type { WaitingCommand } from './waitingCommands.ts';

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

export interface SubmitLanesParts {
  readonly redis: Redis;
  readonly config: SubmitBounds;
  /** False while nothing may be submitted to the shard. */
  readonly isOpen: (shard: number) => boolean;
  /** False for a command that was answered meanwhile: it is not submitted. */
  readonly isWaiting: (counter: number) => boolean;
  readonly onSubmitted: (command: WaitingCommand, answer: number | string) => void;
  readonly onError: (batch: readonly WaitingCommand[], error: Error) => void;
}

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
