// The role `market`: one process of the deployment leads, reads the upstream and publishes. The others stand by and
// take the lease when it runs out.
import { randomBytes } from 'node:crypto';
import type { Config } from '../shared/config.ts';
import type { FormatSource } from '../shared/domain/formats.ts';
import type { Logger } from '../shared/logger.ts';
import { marketKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { Script } from '../shared/redis/script.ts';
import type { Role, RoleParts } from '../shared/role.ts';
import { type AskVenue, createMarketRequests } from '../shared/venue/marketRequests.ts';
import { NO_LIMITS, OpeningPace, VENUE_LIMITS } from '../shared/venue/openingPace.ts';
import { VenueBudget } from '../shared/venue/venueBudget.ts';
import { countVenueWeight } from '../shared/venue/venueMetrics.ts';
import { Leader, type LeaderStatus } from './leader.ts';
import { StandBack } from './leadership.ts';
import { VenueClock } from './venueClock.ts';

export interface MarketRole extends Role {
  status(): MarketStatus;
}

export interface MarketStatus {
  readonly role: 'leader' | 'standby';
  readonly leader?: LeaderStatus;
}

/** Renewed so often within one life of the lease. */
const RENEWALS_PER_TTL = 3;
/** Longest wait for a last flush at the end. */
const STOP_MS = 2000;

// Takes or renews the lease, or finds it taken. KEYS lease; ARGV token, ttl ms, 1 = may take one that is free. Gives 'ours', 'taken'
// by another, or 'free' and left so. A lease that ran out without another taking it is renewed under the same token. One script, so no
// process takes it between read and write.
const takeScript = new Script(
  'leadMarket',
  `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 'taken' end
if not holder and ARGV[3] == '0' then return 'free' end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'ours'
`,
  { whenFull: 'runs' },
);

// Gives the lease back. KEYS lease; ARGV token. One script, so that it never deletes another's lease.
const releaseScript = new Script(
  'leaveMarket',
  `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`,
);

type MarketParts = Pick<RoleParts, 'config' | 'log' | 'redis' | 'formats' | 'now'> &
  Partial<Pick<RoleParts, 'registry' | 'realNow' | 'clock'>>;

/** @param options.redis a connection for commands; the caller closes it after `stop` */
export function startMarket(options: MarketParts): Promise<MarketRole> {
  const role = new LeaseLoop(options);
  return role.start();
}

class LeaseLoop implements MarketRole {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #redis: Redis;
  readonly #formats: FormatSource;
  readonly #now: () => number;
  readonly #realNow: () => number;
  readonly #venueClock: VenueClock | undefined;
  readonly #ask: AskVenue;
  readonly #pace: OpeningPace;
  readonly #standBack: StandBack;
  #token = '';
  #leader: Leader | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #stopped = false;
  /** When Redis last said who leads, by `performance.now()`. */
  #heardAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MarketParts) {
    this.#config = options.config;
    this.#log = options.log;
    this.#redis = options.redis;
    this.#formats = options.formats;
    this.#now = options.clock?.marketNow ?? options.now;
    this.#realNow = options.realNow ?? options.now;
    const { log, config, registry } = options;
    const now = this.#now;
    this.#standBack = new StandBack(config.MARKET_LEASE_TTL_MS);
    const budget = new VenueBudget({ ...options, ...(registry && { count: countVenueWeight(registry) }) });
    const { MARKET_URL: url, MARKET_SOURCE: source } = config;
    this.#pace = new OpeningPace(source === 'live' ? VENUE_LIMITS : NO_LIMITS, Math.random);
    const ask = createMarketRequests({ log, url, source, budget, now });
    const { clock } = options;
    if (source === 'emulated' && clock !== undefined) {
      this.#venueClock = new VenueClock({ log, url, marketMs: () => clock.offsets.marketMs });
      clock.onShift(() => this.#onClock());
    }
    this.#ask = this.#venueClock?.before(ask) ?? ask;
  }

  async start(): Promise<this> {
    this.#newToken();
    await this.#step();
    return this;
  }

  status(): MarketStatus {
    return this.#leader === undefined ? { role: 'standby' } : { role: 'leader', leader: this.#leader.status() };
  }

  /** Ready whoever leads, and while the venue is away: the age of the feed tells of that. */
  readonly whyNotReady = (): readonly string[] => {
    const isHeard = performance.now() - this.#heardAtMs <= this.#config.MARKET_LEASE_TTL_MS;
    return isHeard ? [] : ['Redis has not said lately who leads the market'];
  };

  /** Gives the lease back, so that another takes over at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const leader = this.#leader;
    const work = async (): Promise<void> => {
      await this.#turn;
      await (this.#leader ?? leader)?.end();
      await releaseScript.run(this.#redis, [marketKeys.lease], [this.#token]);
    };
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([work(), timeout]).finally(() => clearTimeout(timer));
    this.#leader?.abandon();
    this.#leader = undefined;
  }

  #step(): Promise<void> {
    const everyMs = this.#config.MARKET_LEASE_TTL_MS / RENEWALS_PER_TTL;
    this.#turn = this.#takeOrRenew()
      .catch((error: Error) => this.#log.warn({ reason: error.message }, 'market lease could not be asked for'))
      .finally(() => {
        if (!this.#stopped) this.#timer = setTimeout(() => void this.#step(), everyMs);
      });
    return this.#turn;
  }

  async #takeOrRenew(): Promise<void> {
    const { MARKET_LEASE_TTL_MS } = this.#config;
    const mayTake = this.#leader !== undefined || this.#standBack.mayTake(performance.now()) ? 1 : 0;
    const lease = await takeScript.run(this.#redis, [marketKeys.lease], [this.#token, MARKET_LEASE_TTL_MS, mayTake]);
    this.#heardAtMs = performance.now();
    if (lease !== 'ours' && this.#leader !== undefined) this.#lose('another leader has the lease');
    if (lease === 'taken') this.#standBack.seesAnother(this.#heardAtMs);
    if (lease === 'free') this.#standBack.seesFree(this.#heardAtMs);
    if (lease !== 'ours') return;
    if (this.#leader !== undefined || this.#stopped) return;
    this.#log.info({ source: this.#config.MARKET_SOURCE, url: this.#config.MARKET_URL }, 'leading the market feed');
    this.#leader = await Leader.begin({
      log: this.#log,
      redis: this.#redis,
      formats: this.#formats,
      now: this.#now,
      realNow: this.#realNow,
      source: this.#config.MARKET_SOURCE,
      url: this.#config.MARKET_URL,
      ask: this.#ask,
      pace: this.#pace,
      token: this.#token,
      leaseTtlMs: this.#config.MARKET_LEASE_TTL_MS,
      onLost: (reason) => this.#lose(reason),
    });
  }

  /** Only who leads tells the venue; who leads next does when it begins. */
  #onClock(): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    void this.#venueClock?.tell();
    leader.onClock();
  }

  /** Stands by again, under a new token: the ended term can write nothing more. */
  #lose(reason: string): void {
    this.#log.warn({ reason }, 'no longer leading the market feed');
    this.#leader?.abandon();
    this.#leader = undefined;
    this.#standBack.ended();
    this.#newToken();
  }

  #newToken(): void {
    this.#token = `${this.#config.NODE_ID || 'market'}:${randomBytes(6).toString('hex')}`;
  }
}
