// The way of drafts into Redis. What the shards of a pod have ready in one turn of the event loop leaves at the end of the turn, in
// one script call, on a cluster in one for each shard; what becomes ready while a call is on its way leaves with the next. Each draft keeps its own
// token, number and verdict in it. When a call is not answered, each shard sends its draft again. With REDIS_MIN_REPLICAS a call is made
// only when replicas have what is in it (preparedCommits.ts).
import type { Redis } from '../../../shared/redis/redis.ts';
import { scriptLaneOf } from '../../../shared/redis/script.ts';
import { type CommitAnswer, type CommitPart, commitCall, commitScript } from './commitScript.ts';
import { PreparedCommits } from './preparedCommits.ts';

/** Commands in one script call, but for a single draft: Redis serves no other call while it runs (about 20 µs each). */
const CALL_COMMANDS_MAX = 512;
/** Characters of entries and replies in one script call, but for a single draft. */
const CALL_CHARS_MAX = 1_000_000;

interface Waiting {
  readonly part: CommitPart;
  readonly resolve: (answer: CommitAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Drafts on their way in one script call after another. */
interface Lane {
  waiting: Waiting[];
  isInFlight: boolean;
  isPlanned: boolean;
}

export class CommitCalls {
  readonly #redis: Redis;
  readonly #lanes = new Map<number, Lane>();
  /** Drafts are prepared before they are committed. */
  readonly isPrepared: boolean;
  readonly prepared: PreparedCommits;

  /** @param replicas that have to have a commit before anything of it is seen */
  constructor(redis: Redis, { replicas = 0 }: { replicas?: number } = {}) {
    this.#redis = redis;
    this.isPrepared = replicas > 0;
    this.prepared = new PreparedCommits(redis, replicas);
  }

  /**
   * Sends a draft with others that are ready.
   * @throws as `Script.run`: what became of the draft is not known then
   */
  send(shard: number, part: CommitPart): Promise<CommitAnswer> {
    const lane = this.#laneOf(shard);
    return new Promise((resolve, reject) => {
      lane.waiting.push({ part, resolve, reject });
      this.#plan(lane);
    });
  }

  #laneOf(shard: number): Lane {
    const id = scriptLaneOf(this.#redis, shard);
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { waiting: [], isInFlight: false, isPlanned: false };
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  /** A microtask comes when the turn of all shards is over, and before the event loop goes on. */
  #plan(lane: Lane): void {
    if (lane.isPlanned) return;
    lane.isPlanned = true;
    queueMicrotask(() => {
      lane.isPlanned = false;
      this.#callFrom(lane);
    });
  }

  #callFrom(lane: Lane): void {
    if (lane.isInFlight || lane.waiting.length === 0) return;
    lane.isInFlight = true;
    void this.#call(lane, takeBatch(lane));
  }

  async #commit(parts: readonly CommitPart[]): Promise<readonly CommitAnswer[]> {
    const { keys, args } = commitCall(parts);
    return (await commitScript.run(this.#redis, keys, args)) as readonly CommitAnswer[];
  }

  /** Never rejects: each draft is given its answer, or the error. */
  async #call(lane: Lane, batch: readonly Waiting[]): Promise<void> {
    try {
      const parts = batch.map(({ part }) => part);
      const answers = await (parts[0]?.preparation === undefined ? this.#commit(parts) : this.prepared.commit(parts));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as CommitAnswer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    lane.isInFlight = false;
    this.#callFrom(lane);
  }
}

/** The oldest drafts that fit into one call, all prepared or none. One that is too large for it goes alone. */
function takeBatch(lane: Lane): Waiting[] {
  let commands = 0;
  let chars = 0;
  const isPrepared = lane.waiting[0]?.part.preparation !== undefined;
  const end = lane.waiting.findIndex(({ part }, at) => {
    commands += part.commands;
    chars += part.chars;
    return at > 0 && (commands > CALL_COMMANDS_MAX || chars > CALL_CHARS_MAX || (part.preparation !== undefined) !== isPrepared);
  });
  const { waiting } = lane;
  if (end === -1) {
    lane.waiting = [];
    return waiting;
  }
  return waiting.splice(0, end);
}
