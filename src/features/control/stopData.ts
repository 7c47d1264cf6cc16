// The market's data of a stop: whether each coin shows what the venue has sent as of its time. No stop is left without a leader of the
// market: an hour that passes unseen would be paid at the price that stands in for its oracle price. A coin that is paused, or a venue
// that is cut off, is waited for once.
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import type { Config } from '../../shared/config/config.ts';
import { marketKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { comesTrue } from '../../shared/waiting.ts';

/** Longest wait for a process that leads, in lives of the lease: one that has just lost it stands back for five. */
const LEASES_MAX = 6;
/** Longest wait for the data of a stop, ms; what has not come then is paused or cut off. */
const DATA_MS_MAX = 10_000;
/** The same under a leader that has brought none yet: it has to reach the venue. */
const FIRST_DATA_MS_MAX = 30_000;
/** A stop whose leader changes so often is not waited for any longer. */
const LEADERS_MAX = 3;
const LOOK_EVERY_MS = 3;
/** Estimates that two processes have of Redis's time differ by less, ms. */
const CLOCKS_APART_MS = 200;

export interface StopDataParts {
  readonly redis: Pick<Redis, 'get'>;
  readonly market: LiveMarket;
  readonly config: Pick<Config, 'MARKET_LEASE_TTL_MS'>;
}

export class StopData {
  readonly #parts: StopDataParts;
  /** The lease of who led when it was last looked at. */
  #leader: string | undefined;
  #hasBrought = false;
  /** Coins that were waited for in vain under this leader: they are waited for again when they have data. */
  readonly #still = new Set<string>();

  constructor(parts: StopDataParts) {
    this.#parts = parts;
  }

  /** A call begins at this time: a coin that has data again is waited for. */
  begin(nowMs: number): void {
    for (const coin of [...this.#still]) if (this.#timeOf(coin) >= nowMs - this.#parts.market.maxAgeMs) this.#still.delete(coin);
  }

  /** False when there is no coin, or the data of one have not come since an earlier call. */
  get isWhole(): boolean {
    const listed = this.#listed();
    return listed.length > 0 && listed.every((coin) => !this.#still.has(coin));
  }

  /** @returns false when no process leads the market in time; true, too, where there is no market yet */
  async isLed(): Promise<boolean> {
    const { redis, market, config } = this.#parts;
    if (market.rawMeta === undefined) return true;
    const bounds = { untilMs: performance.now() + LEASES_MAX * config.MARKET_LEASE_TTL_MS, everyMs: LOOK_EVERY_MS };
    return await comesTrue(async () => {
      const leader = await redis.get(marketKeys.lease);
      if (leader !== null) this.#onLeader(leader);
      return leader !== null;
    }, bounds);
  }

  /** Waits for the coins’ data of a stop. @returns whether all have come, or undefined when the market is not led */
  async arrive(stopMs: number): Promise<boolean | undefined> {
    for (let leaders = 0; leaders < LEADERS_MAX; leaders++) {
      const missing = await this.#missing(stopMs);
      if (missing.length === 0) return true;
      const waitedFor = this.#leader;
      if (!(await this.isLed())) return undefined;
      // Who led has died meanwhile: it is for the next one to bring them.
      if (waitedFor !== this.#leader) continue;
      for (const coin of missing) this.#still.add(coin);
      return false;
    }
    return undefined;
  }

  #onLeader(leader: string): void {
    if (leader === this.#leader) return;
    this.#leader = leader;
    this.#hasBrought = false;
    this.#still.clear();
  }

  async #missing(stopMs: number): Promise<string[]> {
    const untilMs = performance.now() + (this.#hasBrought ? DATA_MS_MAX : FIRST_DATA_MS_MAX);
    const awaited = this.#awaited();
    const late = (): string[] => awaited.filter((coin) => this.#timeOf(coin) < stopMs - CLOCKS_APART_MS);
    await comesTrue(() => late().length === 0, { untilMs, everyMs: LOOK_EVERY_MS });
    const missing = late();
    if (missing.length < awaited.length) this.#hasBrought = true;
    return missing;
  }

  /** The listed coins but those that stand still. */
  #awaited(): string[] {
    return this.#listed().filter((coin) => !this.#still.has(coin));
  }

  #listed(): string[] {
    const listed = (this.#parts.market.rawMeta?.universe ?? []).filter(({ isDelisted }) => isDelisted !== true);
    return listed.map(({ name }) => name);
  }

  #timeOf(coin: string): number {
    const { market } = this.#parts;
    const asset = market.assetOf(coin);
    if (asset === undefined) return 0;
    return Math.min(market.bookText(coin)?.timeMs ?? 0, market.contextOf(asset.id)?.timeMs ?? 0);
  }
}
