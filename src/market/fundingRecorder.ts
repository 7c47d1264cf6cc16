// Keeps the funding of every listed coin complete while the process leads. It asks the venue for the rate of each
// hour once the hour is over, and for hours in which no process led. It asks slowly, because the venue counts
// requests; settlements wait for the hours that they need.
import { DAY_MS, HOUR_MS } from '../shared/domain/units.ts';
import type { Logger } from '../shared/logger.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';
import { pause } from '../shared/waiting.ts';
import type { ContextChange, DelistingChange, FundingChange, StatusChange } from './domain/feed.ts';
import { FundingRecords, hourOf } from './domain/fundingRecords.ts';

/** A rate is asked for this long after its hour, ms: the venue needs a moment; the emulated one computes it. */
const ASK_AFTER_MS: Readonly<Record<StatusChange['source'], number>> = { live: 3000, emulated: 200, replay: 3000 };
const LOOK_EVERY_MS = 1000;
/** When an answer lacks the hour, the coin is asked for again after this, ms. */
const ASK_AGAIN_MS = 15_000;
/** How long the last rates of a delisted coin are asked for, ms. */
const ASK_DELISTED_MS = DAY_MS;
const REQUEST_TIMEOUT_MS = 5000;
/** Between two requests, ms. The live venue allows a weight of 1200 a minute and such a request is 20 (wire-format 7.3). */
const PACE_MS: Readonly<Record<StatusChange['source'], number>> = { live: 3000, emulated: 0, replay: 0 };
const DECIMAL = /^-?\d+(\.\d+)?$/;

export interface FundingRecorderOptions {
  readonly log: Logger;
  readonly ask: AskVenue;
  readonly source: StatusChange['source'];
  readonly now: () => number;
  /** The funding that an earlier leader has published. */
  readonly known: readonly (FundingChange | ContextChange | DelistingChange)[];
  readonly onChange: (change: FundingChange) => void;
}

export class FundingRecorder {
  readonly #options: FundingRecorderOptions;
  readonly #records: FundingRecords;
  readonly #abort = new AbortController();
  readonly #askAgainMs = new Map<string, number>();
  #listed: readonly string[] = [];
  /** Ends the wait between two looks. */
  #waking = new AbortController();
  /** When each coin left the list. */
  readonly #delistedMs = new Map<string, number>();

  constructor(options: FundingRecorderOptions) {
    this.#options = options;
    const { known } = options;
    this.#records = new FundingRecords(known.filter((change) => change.type !== 'delisting'));
    for (const change of known) if (change.type === 'delisting') this.onDelisted(change);
  }

  start(): void {
    this.#run().catch((error: unknown) => this.#options.log.error({ err: error }, 'funding is not recorded any more'));
  }

  stop(): void {
    this.#abort.abort();
    this.#waking.abort();
  }

  /** Looks now: time was set ahead. */
  look(): void {
    this.#askAgainMs.clear();
    this.#waking.abort();
  }

  /** The coins to ask for: those that can be traded, and those that could until lately. */
  onListed(coins: readonly string[]): void {
    this.#listed = coins;
    for (const coin of coins) this.#delistedMs.delete(coin);
  }

  /** Until then the funding that a coin's positions owe is still paid. */
  onDelisted({ coin, timeMs }: DelistingChange): void {
    this.#delistedMs.set(coin, timeMs);
  }

  onContext(change: ContextChange): void {
    this.#tell(this.#records.onContext(change));
  }

  async #run(): Promise<void> {
    while (!this.#abort.signal.aborted) {
      for (const coin of [...this.#listed, ...this.#lately()]) {
        await this.#complete(coin);
        if (this.#abort.signal.aborted) return;
      }
      await this.#wait(LOOK_EVERY_MS);
    }
  }

  #lately(): string[] {
    const fromMs = this.#options.now() - ASK_DELISTED_MS;
    return [...this.#delistedMs].flatMap(([coin, timeMs]) => (timeMs >= fromMs ? [coin] : []));
  }

  async #complete(coin: string): Promise<void> {
    const { now, log, source } = this.#options;
    const nowMs = now();
    const lastMs = this.#delistedMs.get(coin) ?? nowMs;
    this.#tell(this.#records.onTime(coin, lastMs));
    if (nowMs < (this.#askAgainMs.get(coin) ?? 0)) return;
    const { rates, oracles } = this.#records.missing(coin, Math.min(lastMs, nowMs - ASK_AFTER_MS[source]));
    const [firstRate] = rates;
    const [firstOracle] = oracles;
    if (firstRate === undefined && firstOracle === undefined) return;
    this.#askAgainMs.set(coin, nowMs + ASK_AGAIN_MS);
    try {
      if (firstRate !== undefined) this.#tell(this.#records.fill(coin, { rates: await this.#rates(coin, firstRate) }));
      if (firstOracle !== undefined) {
        const oraclePrices = await this.#closes(coin, { firstMs: firstOracle, lastMs: oracles.at(-1) ?? firstOracle });
        log.info({ coin, hours: oracles.length, found: oraclePrices.size }, 'oracle price of missed hours from candles');
        this.#tell(this.#records.fill(coin, { oraclePrices }));
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) log.warn({ coin, reason: String(error) }, 'funding could not be asked for, trying again');
    }
  }

  /** The venue's hourly rates from a boundary on. */
  async #rates(coin: string, startTime: number): Promise<Map<number, string>> {
    const rates = new Map<number, string>();
    for (const row of await this.#rows({ type: 'fundingHistory', coin, startTime })) {
      const { fundingRate, time } = row as { fundingRate?: unknown; time?: unknown };
      if (typeof time === 'number' && typeof fundingRate === 'string' && DECIMAL.test(fundingRate)) {
        rates.set(hourOf(time), fundingRate);
      }
    }
    return rates;
  }

  /**
   * The substitute for the oracle price of a boundary without a listening leader: the last traded price before it, from
   * the venue's hourly candles. The venue keeps no history of its oracle.
   */
  async #closes(coin: string, { firstMs, lastMs }: { firstMs: number; lastMs: number }): Promise<Map<number, string>> {
    const req = { coin, interval: '1h', startTime: firstMs - HOUR_MS, endTime: lastMs - 1 };
    const closes = new Map<number, string>();
    for (const row of await this.#rows({ type: 'candleSnapshot', req })) {
      const { t, c } = row as { t?: unknown; c?: unknown };
      if (typeof t === 'number' && typeof c === 'string' && DECIMAL.test(c)) closes.set(t + HOUR_MS, c);
    }
    return closes;
  }

  async #rows(body: object): Promise<readonly unknown[]> {
    const { ask, source } = this.#options;
    const answer = await ask(body, { timeoutMs: REQUEST_TIMEOUT_MS, signal: this.#abort.signal, isPatient: true });
    await this.#wait(PACE_MS[source]);
    return Array.isArray(answer) ? answer : [];
  }

  #tell(change: FundingChange | undefined): void {
    if (change !== undefined) this.#options.onChange(change);
  }

  /** Waits, but not beyond `stop`. */
  #wait(delayMs: number): Promise<void> {
    this.#waking = new AbortController();
    if (this.#abort.signal.aborted) this.#waking.abort();
    return pause(delayMs, this.#waking.signal);
  }
}
