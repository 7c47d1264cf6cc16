// When the shards of a pod work: they share one thread with each other, with the lease renewals, and with all that Redis
// sends. Each shard that has work gets a turn after the other, and between two slices of the event loop's time everything
// else has its turn: a shard whose accounts keep it busy delays the pod by a slice and the command that ends it. Work
// in the background (history, snapshots) is done in pieces, one in a round of the event loop, of whichever shard.

/** Longest time for turns of shards before the event loop goes round, ms: far below a third of the shortest lease. */
const SLICE_MS = 5;

export class PodTurns {
  readonly #nowMs: () => number;
  readonly #defer: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  #isPlanned = false;
  #endsMs = 0;
  #background: Promise<void> = Promise.resolve();

  /**
   * @param nowMs a clock that only goes forward @param defer runs something after the event loop has gone round; both replaced by tests
   */
  constructor(nowMs: () => number = () => performance.now(), defer: (run: () => void) => void = setImmediate) {
    this.#nowMs = nowMs;
    this.#defer = defer;
  }

  /** The work is done in its turn. It should end when `isOver`, and plan again what is left. */
  plan(work: () => void): void {
    this.#waiting.push(work);
    this.#wake();
  }

  /**
   * Resolves when the caller may do a piece of background work, of half a millisecond or so: those that ask have a round of
   * the event loop each, in the order in which they ask.
   */
  readonly background = (): Promise<void> => {
    const next = this.#background.then(() => new Promise<void>((resolve) => this.#defer(resolve)));
    this.#background = next;
    return next;
  };

  /** True when the slice has been used up. */
  get isOver(): boolean {
    return this.#nowMs() >= this.#endsMs;
  }

  /** Microseconds, for the cost of single commands. */
  readonly micros = (): number => this.#nowMs() * 1000;

  #wake(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    this.#defer(() => {
      this.#isPlanned = false;
      this.#slice();
    });
  }

  #slice(): void {
    this.#endsMs = this.#nowMs() + SLICE_MS;
    try {
      while (!this.isOver) {
        const work = this.#waiting.shift();
        if (work === undefined) return;
        work();
      }
    } finally {
      this.#wake();
    }
  }
}

/** Longest timer for what is due later, ms. A timer of more than 24 days would fire at once. */
const DUE_MS_MAX = 60_000;

interface WorkScheduleParts {
  readonly turns: Pick<PodTurns, 'plan'>;
  readonly now: () => number;
  /** Part of each second before the shard's sweep, 0 to 1. */
  readonly sweepShare: number;
  readonly onWork: () => void;
  readonly onSweep: () => void;
}

/**
 * When a shard works: in its next turn among the pod's shards when there is more to do, when the first of its accounts is due,
 * and once a second when it sweeps: pending set, tick position, idle accounts.
 */
export class WorkSchedule {
  readonly #parts: WorkScheduleParts;
  readonly #sweeps: EachSecond;
  #dueTimer: NodeJS.Timeout | undefined;
  #isPlanned = false;
  #isStopped = false;

  constructor(parts: WorkScheduleParts) {
    this.#parts = parts;
    this.#sweeps = new EachSecond(parts.sweepShare, parts.onSweep);
  }

  /** There is work for the next turn. */
  get isPlanned(): boolean {
    return this.#isPlanned;
  }

  /** Work in the shard's next turn, once for all that plan it before. */
  plan(): void {
    if (this.#isPlanned || this.#isStopped) return;
    this.#isPlanned = true;
    this.#parts.turns.plan(() => {
      this.#isPlanned = false;
      if (!this.#isStopped) this.#parts.onWork();
    });
  }

  /** Work at this time in place of the earlier one; undefined = at none. */
  planAt(timeMs: number | undefined): void {
    clearTimeout(this.#dueTimer);
    if (timeMs === undefined) return;
    this.#dueTimer = setTimeout(() => this.plan(), Math.max(0, Math.min(timeMs - this.#parts.now(), DUE_MS_MAX)));
  }

  stop(): void {
    this.#isStopped = true;
    this.#sweeps.stop();
    clearTimeout(this.#dueTimer);
  }
}

const EVERY_MS = 1000;
/** A timer may be early by a millisecond: two runs of one second are not meant then. */
const APART_MS = EVERY_MS / 2;

/** In a second. What two shards send together costs less than what each sends by itself. */
const MOMENTS = 8;

/** Part of a second before the shard's moment. */
export const momentOf = (shard: number, shards: number): number => Math.floor((shard * MOMENTS) / shards) / MOMENTS;

/** What tests replace: a clock that only goes forward, ms, and what runs something later, unless it is called off before. */
export interface SecondTimes {
  readonly nowMs: () => number;
  readonly later: (run: () => void, ms: number) => () => void;
}

const REAL: SecondTimes = {
  nowMs: () => performance.now(),
  later: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * What a shard does once a second, at a moment that goes by its number: the shards of a pod come into being together, and what
 * they all do in one round of the event loop holds it for as long as all of them take. A pod that was held up goes on at its
 * shards' moments, not one second after they were late.
 */
export class EachSecond {
  readonly #momentMs: number;
  readonly #run: () => void;
  readonly #times: SecondTimes;
  #callOff: () => void;

  /** Runs within a second from now, and then every second until `stop`. @param share part of the second before the moment, 0 to 1 */
  constructor(share: number, run: () => void, times: SecondTimes = REAL) {
    this.#momentMs = (share % 1) * EVERY_MS;
    this.#run = run;
    this.#times = times;
    this.#callOff = this.#plan(0);
  }

  stop(): void {
    this.#callOff();
  }

  #plan(afterMs: number): () => void {
    const { nowMs, later } = this.#times;
    const soonestMs = nowMs() + afterMs;
    const secondsGone = Math.ceil((soonestMs - this.#momentMs) / EVERY_MS);
    return later(
      () => {
        this.#callOff = this.#plan(APART_MS);
        this.#run();
      },
      secondsGone * EVERY_MS + this.#momentMs - nowMs(),
    );
  }
}
