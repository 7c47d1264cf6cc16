// The emulated venue as a whole: all coins, the clock that drives them, and state that belongs to no single coin.
import type { VenueMeta } from '../domain/asset.ts';
import type { AssetContext } from '../domain/feed.ts';
import type { Exchange, ExchangeSubscription } from '../venue/exchange.ts';
import { Candles } from './candles.ts';
import { answerInfo, subscriptionData, type VenueData } from './info.ts';
import { readSeed, type Seed, toListings } from './listing.ts';
import { CoinPath } from './path.ts';
import { type Emit, VenueCoin } from './venueCoin.ts';
import { type UserEmit, VenueUsers } from './venueUsers.ts';

/** How often coins are advanced, ms. Times in frames are those of the path, not of the timer. */
const STEP_MS = 50;
const MIDS_MS = 2000;

export type VenueEmit = (channel: Parameters<Emit>[0] | 'allMids', coin: string | undefined, data: unknown) => void;

export class Venue implements Exchange, VenueData {
  readonly hasUsers = true;
  readonly seed: Seed;
  readonly users: VenueUsers;
  readonly candles = new Candles();
  /** Coins whose open interest is at its cap: only a control call says so. */
  readonly atOpenInterestCap = new Set<string>();
  readonly now: () => number;
  /** How far its time is ahead of its machine's, ms. */
  #offsetMs = 0;
  readonly #coins: readonly VenueCoin[];
  readonly #byName: ReadonlyMap<string, VenueCoin>;
  readonly #spotMids: Readonly<Record<string, string>>;
  readonly #emit: VenueEmit;
  #timer: NodeJS.Timeout | undefined;
  #midsDueMs = 0;

  /**
   * @param options.seed any integer; the same seed gives the same market at the same time
   * @param options.isQuiet all coins stand still until a control call moves them: at their recorded prices, or at the seed's beginning
   * @param options.beginsMs when the seed's market is at its beginning, so that each start has the same; undefined: it goes by the calendar
   */
  constructor(options: {
    seed: number;
    isQuiet: boolean;
    beginsMs?: number;
    now: () => number;
    emit: VenueEmit;
    emitOfUser: UserEmit;
  }) {
    const { seed, isQuiet, beginsMs, emit, emitOfUser } = options;
    this.seed = readSeed();
    this.now = () => options.now() + this.#offsetMs;
    this.#emit = emit;
    this.users = new VenueUsers({ now: this.now, coin: (name) => this.coin(name), emit: emitOfUser });
    const nowMs = (isQuiet ? beginsMs : undefined) ?? options.now();
    const isRecorded = isQuiet && beginsMs === undefined;
    this.#coins = toListings(this.seed).map(
      (listing) => new VenueCoin({ path: new CoinPath(listing, seed, beginsMs), nowMs, isFrozen: isQuiet, isRecorded, emit }),
    );
    this.#byName = new Map(this.#coins.map((coin) => [coin.listing.coin, coin]));
    this.#spotMids = Object.fromEntries(this.seed.spotContexts.map((context) => [context.coin, context.midPx ?? context.markPx]));
  }

  start(): void {
    this.#timer = setInterval(() => this.advance(), STEP_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Does everything that is due now. */
  advance(): void {
    const nowMs = this.now();
    for (const coin of this.#coins) coin.advance(nowMs);
    this.users.advance();
    if (nowMs >= this.#midsDueMs) this.emitMids();
  }

  /** Sets its time ahead, and sends what is shown of each coin as of then. */
  setClock(offsetMs: number): void {
    if (offsetMs <= this.#offsetMs) return;
    this.#offsetMs = offsetMs;
    const nowMs = this.now();
    for (const coin of this.#coins) coin.sendAt(nowMs);
    this.emitMids();
  }

  /** Sends all mids now. */
  emitMids(): void {
    this.#midsDueMs = this.now() + MIDS_MS;
    if (this.#coins.some((coin) => !coin.isPaused)) this.#emit('allMids', undefined, { mids: this.mids() });
  }

  coin(name: string): VenueCoin | undefined {
    return this.#byName.get(name);
  }

  /** One coin, or all of them when no name is given. */
  coins(name?: string): readonly VenueCoin[] {
    if (name === undefined) return this.#coins;
    const coin = this.#byName.get(name);
    return coin === undefined ? [] : [coin];
  }

  hasCoin(name: string): boolean {
    return this.#byName.has(name);
  }

  info(body: unknown): Promise<unknown> {
    return answerInfo(this, body);
  }

  snapshot(subscription: ExchangeSubscription): Promise<unknown> {
    return subscriptionData(this, subscription);
  }

  isSpot(name: string): boolean {
    return this.#spotMids[name] !== undefined;
  }

  mids(): Record<string, string> {
    const mids: Record<string, string> = { ...this.#spotMids };
    for (const coin of this.#coins) mids[coin.listing.coin] = coin.mid;
    return mids;
  }

  /** The recorded universe, less what a control call has delisted. */
  meta(): VenueMeta {
    const { meta } = this.seed;
    const universe = meta.universe.map((entry, index) => {
      const isNew = entry.isDelisted !== true && this.#coins[index]?.isDelisted === true;
      return isNew ? { ...entry, isDelisted: true } : entry;
    });
    return { ...meta, universe };
  }

  contexts(): AssetContext[] {
    const nowMs = this.now();
    return this.#coins.map((coin) => coin.context(nowMs));
  }
}
