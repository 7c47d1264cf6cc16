// The two times of the exchange, how a process knows them, and a watch over the clock of its machine.
//
// Exchange time (`now`) is what users see: times of entries and orders, ages of prices, due times, funding hours, nonces, limits,
// plans, ends of keys and tokens. A test may set it ahead as a whole, by one offset that all processes share (adr 0022); it never goes
// back. Real time (`realNow`) is what stores and processes are about: deadlines of commands, ages of journal entries, lives of Redis's
// keys. Both are Redis's clock, which all processes share, and not the system's, which may be wrong or be set while the process
// runs. Leases, timers and pauses belong to neither: they are measured with `performance.now()`.
//
// Redis says its time in the answers to a heartbeat that comes anyway. Between them the monotonic clock carries it on.
//
// On a cluster it is the time of one node, and another machine's after a failover: one that is behind slows time down, and never
// sets it back. Only a clock that is behind by more than machines with NTP ever differ was wrong before, and is followed at once:
// otherwise each price would count as too old until time has caught up.
import type { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { scrapedMetrics } from '../metrics/scrapedMetrics.ts';

/** Answers from which the best is taken: the one with the shortest way is the most exact. */
const ANSWERS_KEPT = 10;
/** Answers that differ by more than this are of two clocks, or of one that was set, ms. */
const SAME_CLOCK_MS = 1000;
/** A clock that is ahead by less than this is slowed down until it is right, ms; one that is ahead by more was set, and jumps. */
const SLOWED_MS_MAX = 60_000;
/** How much slower it runs then: a second is made up for in ten, what is beyond it in twice the time. */
const SLEW = 0.1;
const FAST_SLEW = 0.5;

/** One answer in which Redis said its time; `sentAt` and `heardAt` by `performance.now()`. */
interface TimeAnswer {
  readonly redisMs: number;
  readonly sentAt: number;
  readonly heardAt: number;
}

/** How far exchange time is ahead of real time, ms. The market goes first: its data are there when the others follow. */
export interface ClockOffsets {
  readonly offsetMs: number;
  readonly marketMs: number;
}

interface Estimate {
  /** Redis's time minus the monotonic clock, ms, and how wrong that can be. */
  readonly base: number;
  readonly errorMs: number;
}

export class ExchangeClock {
  readonly #monotonic: () => number;
  readonly #system: () => number;
  readonly #answers: Estimate[] = [];
  #base: number;
  /** Where the base should be; it is above it while the clock is slowed down. */
  #target: number;
  #slewedAt = 0;
  #offsets: ClockOffsets = { offsetMs: 0, marketMs: 0 };
  readonly #listeners: (() => void)[] = [];

  /** Until Redis has spoken, the system's time. @param clocks replaced by tests */
  constructor(clocks: { readonly monotonic?: () => number; readonly system?: () => number } = {}) {
    this.#monotonic = clocks.monotonic ?? (() => performance.now());
    this.#system = clocks.system ?? Date.now;
    this.#base = this.#system() - this.#monotonic();
    this.#target = this.#base;
  }

  /** Redis's time, ms since the epoch, whole. */
  readonly realNow = (): number => {
    const monotonic = this.#monotonic();
    if (this.#base > this.#target) {
      const slew = this.#base - this.#target > SAME_CLOCK_MS ? FAST_SLEW : SLEW;
      this.#base = Math.max(this.#target, this.#base - (monotonic - this.#slewedAt) * slew);
      this.#slewedAt = monotonic;
    }
    return Math.floor(monotonic + this.#base);
  };

  /** Exchange time, ms since the epoch, whole: real time, as long as it is not shifted. */
  readonly now = (): number => this.realNow() + this.#offsets.offsetMs;

  /** Exchange time of the market's data: `now`, or the moment that the others are about to follow to. */
  readonly marketNow = (): number => this.realNow() + this.#offsets.marketMs;

  get offsets(): ClockOffsets {
    return this.#offsets;
  }

  /** Sets exchange time ahead; an offset that is behind the present one changes nothing. */
  shift({ offsetMs, marketMs }: ClockOffsets): void {
    const former = this.#offsets;
    const later = Math.max(former.offsetMs, offsetMs);
    this.#offsets = { offsetMs: later, marketMs: Math.max(former.marketMs, marketMs, later) };
    if (later === former.offsetMs && this.#offsets.marketMs === former.marketMs) return;
    for (const listener of this.#listeners) listener();
  }

  /** Called after each shift. */
  onShift(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** How far the system's clock is ahead of Redis's, ms; negative = behind; 0 until Redis has spoken. */
  get systemAheadMs(): number {
    return this.#answers.length === 0 ? 0 : this.#system() - (this.#monotonic() + this.#target);
  }

  /** Takes note of an answer. Its time lies somewhere between its sending and its hearing. */
  observe({ redisMs, sentAt, heardAt }: TimeAnswer): void {
    const isFirst = this.#answers.length === 0;
    const errorMs = (heardAt - sentAt) / 2;
    const latest = { base: redisMs - (sentAt + heardAt) / 2, errorMs };
    // Earlier notes are of another clock, or were wrong, and count no longer.
    const wasSet = this.#answers.some(
      ({ base, errorMs: former }) => Math.abs(base - latest.base) > former + errorMs + SAME_CLOCK_MS,
    );
    if (wasSet) this.#answers.length = 0;
    this.#answers.push(latest);
    if (this.#answers.length > ANSWERS_KEPT) this.#answers.shift();
    const best = this.#answers.reduce((one, other) => (other.errorMs < one.errorMs ? other : one));
    this.realNow(); // what was slowed down so far is accounted for
    this.#target = best.base;
    this.#slewedAt = this.#monotonic();
    const aheadMs = this.#base - this.#target;
    if (isFirst || aheadMs <= 0 || aheadMs > SLOWED_MS_MAX) this.#base = this.#target;
  }
}

// Says when the clock of this process's machine is wrong. Nothing in the exchange goes by it, but the lines of the log
// do, and so may the tools of its operators.

/** A clock that is off by more than this is said to be wrong, ms. */
const CLOCK_OFF_MS_MAX = 1000;

export class ClockWatch {
  readonly #clock: Pick<ExchangeClock, 'systemAheadMs'>;
  readonly #log: Logger;
  /** What was last said of it, ms ahead; 0 = that it is right. */
  #saidMs = 0;

  constructor(clock: Pick<ExchangeClock, 'systemAheadMs'>, { log, registry }: { log: Logger; registry: Registry }) {
    this.#clock = clock;
    this.#log = log;
    const help = 'How far the clock of this process’s machine is ahead of Redis’s; negative = behind.';
    scrapedMetrics(registry).gauge('clock_offset_seconds', help, () => clock.systemAheadMs / 1000);
  }

  /** Looks, and says so in the log when something has changed. @returns ms ahead when the clock is wrong, else 0 */
  look(): number {
    const aheadMs = this.#clock.systemAheadMs;
    const isOff = Math.abs(aheadMs) > CLOCK_OFF_MS_MAX;
    const offMs = isOff ? Math.round(aheadMs) : 0;
    if (offMs === 0 && this.#saidMs !== 0) this.#log.info('the clock of this machine is right again');
    else if (isOff && Math.abs(offMs - this.#saidMs) > CLOCK_OFF_MS_MAX) {
      this.#log.warn(
        { aheadMs: offMs },
        'the clock of this machine is wrong: it differs from Redis’s, which the exchange goes by',
      );
    } else return offMs;
    this.#saidMs = offMs;
    return offMs;
  }
}
