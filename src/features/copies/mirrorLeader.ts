// Follows all mirrored addresses, in the one API node that has the lease. Another takes it when that one dies: it asks each account how far it
// is, and the venue for what came since. Mirrors of users who are gone, or may not trade any more, end here.

import { randomBytes } from 'node:crypto';
import { Gauge, type Registry } from 'prom-client';
import type { SourceFill } from '../../actors/core/messages/importReport.ts';
import { isExpired } from '../../api/access/callerChecks.ts';
import type { DeepLook, TakingOrder } from '../../api/accounts/gateway/deepLook.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { paidUntilOf } from '../../shared/access/subscription.ts';
import type { RoleParts } from '../../shared/deployment/role.ts';
import { cutTo, Decimal } from '../../shared/domain/decimal.ts';
import type { UserStore } from '../../shared/mongo/userStore.ts';
import type { FreshQuestions } from '../../shared/venue/venueQuestions.ts';
import { MIRROR_LIMITS, NO_LIMITS, OpeningPace } from '../../shared/venue/venueSocket.ts';
import { AddressFollower } from './addressFollower.ts';
import { type MirrorDocument, MirrorLease, writeHearing } from './mirrorStore.ts';
import type { Mirrors } from './mirrors.ts';

const RENEWALS_PER_TTL = 3;
/** How often it is looked whether users may still trade, and accounts still follow, ms. */
const WHOLE_EVERY_MS = 60_000;

interface MirrorLeaderParts extends Pick<RoleParts, 'config' | 'log' | 'redis' | 'now'> {
  readonly mirrors: Mirrors;
  readonly users: Pick<UserStore, 'findById'>;
  readonly venue: FreshQuestions;
  readonly market: LiveMarket;
  readonly deep: Pick<DeepLook, 'lookDeeper'>;
}

class MirrorLeader {
  readonly #parts: MirrorLeaderParts;
  readonly #lease: MirrorLease;
  readonly #pace: OpeningPace;
  readonly #followers = new Map<string, AddressFollower>();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #looking: Promise<void> | undefined;
  /** Undefined while another leads. */
  #term: number | undefined;
  #isStopped = false;
  #renewedAtMs = 0;
  #wholeAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: MirrorLeaderParts) {
    const { config, redis } = parts;
    this.#parts = parts;
    const token = `${config.NODE_ID}:${randomBytes(8).toString('hex')}`;
    this.#lease = new MirrorLease({ redis, token, ttlMs: config.MARKET_LEASE_TTL_MS });
    this.#pace = new OpeningPace(config.MARKET_SOURCE === 'live' ? MIRROR_LIMITS : NO_LIMITS, Math.random);
  }

  /** Addresses that this node follows, and how many of them it hears. */
  get followed(): { readonly all: number; readonly connected: number } {
    const followers = [...this.#followers.values()];
    return { all: followers.length, connected: followers.filter(({ hearing }) => hearing.connectedSinceMs !== null).length };
  }

  start(): void {
    const everyMs = this.#parts.config.MARKET_LEASE_TTL_MS / RENEWALS_PER_TTL;
    this.#turn = this.#step()
      .catch((error: unknown) => this.#onError(error))
      .finally(() => {
        if (!this.#isStopped) this.#timer = setTimeout(() => this.start(), everyMs);
      });
  }

  /** Gives the lease back, so that another node goes on at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
    await this.#looking;
    await this.#stopAll();
    await this.#lease.release().catch((error: unknown) => this.#onError(error));
  }

  async #step(): Promise<void> {
    this.#term = await this.#lease.take();
    if (this.#term === undefined) return await this.#stopAll();
    this.#renewedAtMs = performance.now();
    // Not waited for: an account whose owner is away must not cost the lease.
    const { log } = this.#parts;
    this.#looking ??= this.#look(this.#term)
      .catch((error: unknown) => log.warn({ err: error }, 'mirrors could not be looked at, trying again'))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #look(term: number): Promise<void> {
    const { mirrors, log } = this.#parts;
    const wanted = await mirrors.all();
    const isWhole = performance.now() - this.#wholeAtMs > WHOLE_EVERY_MS;
    for (const mirror of wanted) {
      try {
        const why = mirror.ending?.why ?? (isWhole ? await this.#endOf(mirror) : undefined);
        if (why !== undefined) await this.#end(mirror, why);
        else if (isWhole || !this.#followers.has(mirror._id)) await this.#begin(mirror, term);
      } catch (error) {
        log.warn(
          { address: mirror.source, account: mirror.account, err: error },
          'a mirror could not be looked at, trying again',
        );
      }
      if (!this.#leads(term)) return;
    }
    if (isWhole) this.#wholeAtMs = performance.now();
    const ids = new Set(wanted.map(({ _id }) => _id));
    for (const [id, follower] of this.#followers) {
      if (ids.has(id)) this.#note(id, follower, term);
      else await this.#drop(id, follower);
    }
  }

  /** Not waited for: the next look notes it again. */
  #note(id: string, { hearing }: AddressFollower, term: number): void {
    if (!this.#leads(term)) return;
    const { log, redis } = this.#parts;
    writeHearing(redis, id, { ...hearing, term }).catch((error: unknown) =>
      log.warn({ mirror: id, err: error }, 'how an address is heard could not be noted, trying again'),
    );
  }

  #leads(term: number): boolean {
    return !this.#isStopped && this.#term === term;
  }

  /** Why it is to end; undefined: it goes on. */
  async #endOf({ userId }: MirrorDocument): Promise<string | undefined> {
    const { users, config, now } = this.#parts;
    const user = await users.findById(userId);
    if (user === null) return 'its user is gone';
    return isExpired(paidUntilOf(user, config), now()) ? 'its user may trade no more' : undefined;
  }

  async #end(mirror: MirrorDocument, why: string): Promise<void> {
    const { account, source, userId } = mirror;
    this.#parts.log.info({ userId, account, address: source, why }, 'a mirror ends');
    await this.#parts.mirrors.endBecause(mirror, why);
  }

  async #begin(mirror: MirrorDocument, term: number): Promise<void> {
    const { config, deep, log, market, mirrors, now, venue } = this.#parts;
    const following = await mirrors.begin(mirror);
    if (typeof following === 'string') return log.info({ account: mirror.account, why: following }, 'a mirror has ended');
    if (!this.#leads(term) || this.#followers.has(mirror._id)) return;
    const follower: AddressFollower = new AddressFollower({
      ...{ log, now, pace: this.#pace, venue, url: config.MARKET_URL, address: mirror.source, payer: mirror.userId },
      throughMs: following.throughMs,
      tell: async (facts) => {
        await deep.lookDeeper(mirror.userId, copiesOf(facts.fills, mirror, market));
        return await mirrors.tell(mirror, { ...facts, term });
      },
      // The next look asks the account again.
      onRefused: () => this.#followers.delete(mirror._id),
      onHearing: () => this.#note(mirror._id, follower, term),
    });
    this.#followers.set(mirror._id, follower);
    follower.start();
    log.info({ address: mirror.source, account: mirror.account, term }, 'an address is followed');
  }

  async #drop(id: string, follower: AddressFollower): Promise<void> {
    this.#followers.delete(id);
    await follower.stop();
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#followers].map(([id, follower]) => this.#drop(id, follower)));
  }

  /** Without news of the lease for its whole life another may have it by now. */
  async #onError(error: unknown): Promise<void> {
    const { log, config } = this.#parts;
    log.warn({ err: error }, 'the lease of mirrors could not be asked for, trying again');
    if (performance.now() - this.#renewedAtMs <= config.MARKET_LEASE_TTL_MS) return;
    this.#term = undefined;
    await this.#stopAll();
  }
}

/** The orders that copy the fills, each as a market order. */
function copiesOf(fills: readonly SourceFill[], { scale }: MirrorDocument, market: LiveMarket): TakingOrder[] {
  return fills.flatMap(({ coin, side, size }) => {
    const asset = market.assetOf(coin);
    if (asset === undefined) return [];
    const copied = cutTo(new Decimal(size).times(scale), asset.sizeDecimals).toFixed();
    return [{ asset: asset.id, side, size: copied, isImmediate: true }];
  });
}

/** @returns undefined where the service has no mirrors */
export function createMirrorLeader(
  { config, log, redis, now, registry }: RoleParts,
  parts: Omit<MirrorLeaderParts, keyof RoleParts>,
): MirrorLeader | undefined {
  if (config.MIRRORS_MAX === 0) return undefined;
  const leader = new MirrorLeader({ ...parts, config, log, redis, now });
  registerMirrors(registry, leader);
  return leader;
}

/** How many addresses this node follows, and how many of them it hears, for operators. Nodes that do not lead follow none. */
function registerMirrors(registry: Registry, leader: Pick<MirrorLeader, 'followed'>): void {
  new Gauge({
    name: 'api_mirrors',
    help: 'Mirrored addresses that this node follows: followed (all), connected (whose connection to the venue is open).',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { all, connected } = leader.followed;
      this.set({ state: 'followed' }, all);
      this.set({ state: 'connected' }, connected);
    },
  });
}
