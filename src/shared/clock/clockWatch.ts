// Says when the clock of this process's machine is wrong. Nothing in the exchange goes by it, but the lines of the log
// do, and so may the tools of its operators.
import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import type { ExchangeClock } from './exchangeClock.ts';

/** A clock that is off by more than this is said to be wrong, ms. */
export const CLOCK_OFF_MS_MAX = 1000;

export class ClockWatch {
  readonly #clock: Pick<ExchangeClock, 'systemAheadMs'>;
  readonly #log: Logger;
  /** What was last said of it, ms ahead; 0 = that it is right. */
  #saidMs = 0;

  constructor(clock: Pick<ExchangeClock, 'systemAheadMs'>, { log, registry }: { log: Logger; registry: Registry }) {
    this.#clock = clock;
    this.#log = log;
    new Gauge({
      name: 'clock_offset_seconds',
      help: 'How far the clock of this process’s machine is ahead of Redis’s; negative = behind.',
      registers: [registry],
      collect() {
        this.set(clock.systemAheadMs / 1000);
      },
    });
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
