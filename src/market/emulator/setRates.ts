// The funding rates of a coin that a test has set, each from a full hour on. Those of earlier hours stay what they were: the leader asks for
// the rate of an hour some time after it, and the history shows all of them.

/** Hours whose rates are kept: as long as the history of funding is answered, and some more. */
export const RATES_MAX = 24 * 100;

interface SetRate {
  /** The first hour that has it, counted as `VenueCoin.hourlyFunding` does. */
  readonly fromHour: number;
  readonly rate: string;
}

export class SetRates {
  /** Oldest first. */
  readonly #set: SetRate[] = [];

  /** The rate that was set last; undefined: none was. */
  get newest(): string | undefined {
    return this.#set.at(-1)?.rate;
  }

  /** Of two rates from the same hour on the second one counts. */
  set(rate: string, fromHour: number): void {
    while ((this.#set.at(-1)?.fromHour ?? 0) >= fromHour) this.#set.pop();
    this.#set.push({ fromHour, rate });
    if (this.#set.length > RATES_MAX) this.#set.shift();
  }

  /** The rate that was set for an hour. */
  of(hour: number): string | undefined {
    return this.#set.findLast(({ fromHour }) => fromHour <= hour)?.rate;
  }
}
