// What a shard does once a second, at a moment that goes by its number: the shards of a pod come into being together, and what
// they all do in one round of the event loop holds it for as long as all of them take. A pod that was held up goes on at its shards' moments,
// not one second after they were late.

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
