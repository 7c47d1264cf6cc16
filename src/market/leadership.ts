// Who leads the market: one process of the deployment has the lease in Redis, the others stand by and take it when it runs out.
import { randomBytes } from 'node:crypto';
import type { Logger } from '../shared/logger.ts';
import { marketKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { Script } from '../shared/redis/script.ts';
import { waitAtMost } from '../shared/waiting.ts';
import type { Leader, LeaderOptions } from './leader.ts';

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

interface LeadershipParts {
  readonly log: Logger;
  /** A connection for commands; the caller closes it after `stop`. */
  readonly redis: Redis;
  /** How the process names itself in the lease. */
  readonly name: string;
  readonly leaseTtlMs: number;
  readonly begin: (term: Pick<LeaderOptions, 'token' | 'onLost'>) => Promise<Leader>;
}

/** One process's part in the lead: it stands by, or leads for one term after another. */
export class Leadership {
  readonly #parts: LeadershipParts;
  readonly #standBack: StandBack;
  #token = '';
  #leader: Leader | undefined;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #stopped = false;
  /** When Redis last said who leads, by `performance.now()`. */
  #heardAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: LeadershipParts) {
    this.#parts = parts;
    this.#standBack = new StandBack(parts.leaseTtlMs);
  }

  /** The term of this process; undefined while it stands by. */
  get leader(): Leader | undefined {
    return this.#leader;
  }

  /** Redis has said lately who leads. */
  get isHeard(): boolean {
    return performance.now() - this.#heardAtMs <= this.#parts.leaseTtlMs;
  }

  async start(): Promise<void> {
    this.#newToken();
    await this.#step();
  }

  /** Gives the lease back, so that another takes over at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const leader = this.#leader;
    const work = async (): Promise<void> => {
      await this.#turn;
      await (this.#leader ?? leader)?.end();
      await releaseScript.run(this.#parts.redis, [marketKeys.lease], [this.#token]);
    };
    await waitAtMost(STOP_MS, work());
    this.#leader?.abandon();
    this.#leader = undefined;
  }

  #step(): Promise<void> {
    const { leaseTtlMs, log } = this.#parts;
    this.#turn = this.#takeOrRenew()
      .catch((error: Error) => log.warn({ reason: error.message }, 'market lease could not be asked for'))
      .finally(() => {
        if (!this.#stopped) this.#timer = setTimeout(() => void this.#step(), leaseTtlMs / RENEWALS_PER_TTL);
      });
    return this.#turn;
  }

  async #takeOrRenew(): Promise<void> {
    const { redis, leaseTtlMs, begin } = this.#parts;
    const mayTake = this.#leader !== undefined || this.#standBack.mayTake(performance.now()) ? 1 : 0;
    const lease = await takeScript.run(redis, [marketKeys.lease], [this.#token, leaseTtlMs, mayTake]);
    this.#heardAtMs = performance.now();
    if (lease !== 'ours' && this.#leader !== undefined) this.#lose('another leader has the lease');
    if (lease === 'taken') this.#standBack.seesAnother(this.#heardAtMs);
    if (lease === 'free') this.#standBack.seesFree(this.#heardAtMs);
    if (lease !== 'ours') return;
    if (this.#leader !== undefined || this.#stopped) return;
    this.#leader = await begin({ token: this.#token, onLost: (reason) => this.#lose(reason) });
  }

  /** Stands by again, under a new token: the ended term can write nothing more. */
  #lose(reason: string): void {
    this.#parts.log.warn({ reason }, 'no longer leading the market feed');
    this.#leader?.abandon();
    this.#leader = undefined;
    this.#standBack.ended();
    this.#newToken();
  }

  #newToken(): void {
    this.#token = `${this.#parts.name}:${randomBytes(6).toString('hex')}`;
  }
}

/** In lives of the lease: after the first loss, and at most. */
const LIVES_MIN = 2;
const LIVES_MAX = 16;
/** A lease that was free for so many lives has lost its leader: one that renews late has done so by then. */
const LIVES_FREE = 4;
/** A lead that was not lost for so many lives ends the memory of earlier losses. */
const FORGOTTEN_AFTER_LIVES = 60;

/**
 * How long a process that has lost the lead of the market leaves it to others. On a machine so busy that renewals come late, two
 * processes would take it from each other without end, and each beginning of a term costs more than all renewals: the venue is connected
 * anew, and the state is written whole. While one stands back, the other renews late and still leads.
 */
export class StandBack {
  readonly #lifeMs: number;
  #losses = 0;
  /** The lead was lost, and it is not known yet whether to another. */
  #hasEnded = false;
  #lostAtMs = Number.NEGATIVE_INFINITY;
  /** Since when the lease was seen free, and no other was seen to have it. */
  #freeSinceMs: number | undefined;

  /** @param lifeMs of the lease */
  constructor(lifeMs: number) {
    this.#lifeMs = lifeMs;
  }

  /** The lead was lost. It counts as soon as another is seen to have it: where nobody has, it is taken again at once. */
  ended(): void {
    this.#hasEnded = true;
  }

  seesAnother(nowMs: number): void {
    this.#freeSinceMs = undefined;
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    this.#losses = nowMs - this.#lostAtMs > FORGOTTEN_AFTER_LIVES * this.#lifeMs ? 1 : this.#losses + 1;
    this.#lostAtMs = nowMs;
  }

  /** The lease was free, and was left so. */
  seesFree(nowMs: number): void {
    this.#freeSinceMs ??= nowMs;
  }

  /** False while the lead is left to others, also to one that renews late; not to one that has died. */
  mayTake(nowMs: number): boolean {
    if (this.#freeSinceMs !== undefined && nowMs - this.#freeSinceMs >= LIVES_FREE * this.#lifeMs) return true;
    const lives = Math.min(LIVES_MAX, LIVES_MIN * 2 ** (this.#losses - 1));
    return nowMs - this.#lostAtMs >= lives * this.#lifeMs;
  }
}
