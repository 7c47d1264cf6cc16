// One actor process among others: it announces that it lives, renews its leases, takes free shards that are due to
// it, and hands over those that another pod should have. Pods agree by computing the same ranking from the same list,
// never by talking.
import { randomBytes } from 'node:crypto';
import { type FormatSource, NEWEST_FORMAT, NewerFormat } from '../../../shared/domain/formats.ts';
import { RedisLost } from '../../../shared/errors.ts';
import { publish } from '../../../shared/redis/channels.ts';
import { podKeys } from '../../../shared/redis/keys.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import { type AblePods, ablePods, isDueToAnother, rankReaders } from '../../core/messages/podStatus.ts';
import type { WakeupListener } from '../commit/mailbox.ts';
import { BeatLoop, Heartbeat, type HeartbeatAnswer, PodNews } from '../ownership/heartbeat.ts';
import { type Lease, releaseLease } from '../ownership/lease.ts';
import { type LeaseHolder, type Renewal, Renewals } from '../ownership/renewals.ts';
import { BuildBehind, RefusedShards, TakeSchedule, takeShard } from '../ownership/takeShard.ts';
import type { ShardParts } from '../shard/recoveringShard.ts';
import { Shard } from '../shard/shard.ts';
import { Departure, HAND_OVER_EVERY_MS, HandOvers } from './departure.ts';
import { PodReadiness } from './podReadiness.ts';

/** Heartbeats and renewals per life of a lease: two may fail. */
const BEATS_PER_TTL = 3;
/** Redis's answer to PTTL of a key that is not there. */
const NO_KEY = -2;
/** How long after a lease's end the pod checks it, ms. */
const RUN_OUT_SLACK_MS = 10;
/** Longest a pod waits at its start to hear the others, ms. */
const LISTEN_MS_MAX = 3000;
/** A shard that a newer build has to read is tried again after so many lease lives. */
const REFUSED_FOR_TTLS = 10;

export interface PodParts extends ShardParts {
  readonly formats: FormatSource;
}

export class Pod implements WakeupListener, LeaseHolder {
  readonly id: string;
  readonly readiness: PodReadiness;
  readonly #parts: PodParts;
  readonly #shards = new Map<number, Shard>();
  readonly #taking = new Set<number>();
  readonly #turns: TakeSchedule;
  readonly #refusals: RefusedShards;
  readonly #handOvers: HandOvers;
  readonly #heartbeat: Heartbeat;
  readonly #heard: PodNews;
  readonly #beats: BeatLoop;
  readonly #renewals: Renewals;
  readonly #behind: BuildBehind;
  readonly #departure: Departure;

  /** @param nodeId name for logs and tokens; a random part makes each life of the process another pod */
  constructor(nodeId: string, parts: PodParts) {
    this.#parts = parts;
    this.id = `${nodeId}.${randomBytes(4).toString('hex')}`;
    const { config, redis, log } = parts;
    const now = (): number => performance.now();
    const ttlMs = config.LEASE_TTL_MS;
    this.#turns = new TakeSchedule({ ttlMs, now });
    this.#refusals = new RefusedShards({ log, retryMs: REFUSED_FOR_TTLS * ttlMs, now });
    this.readiness = new PodReadiness(this, { shards: config.SHARDS, ttlMs, now });
    this.#handOvers = new HandOvers({
      now,
      give: (numbers) => this.#giveBack(this.shards.filter(({ shard }) => numbers.includes(shard))),
    });
    this.#behind = new BuildBehind(parts);
    this.#heartbeat = new Heartbeat({ redis, podId: this.id, ttlMs });
    const everyMs = ttlMs / BEATS_PER_TTL;
    this.#heard = new PodNews({ redis, heartbeat: this.#heartbeat, withinMs: everyMs / 2 });
    this.#beats = new BeatLoop({ log, everyMs, beat: () => this.#beat() });
    this.#renewals = new Renewals({ redis, log, ttlMs, everyMs }, this);
    this.#departure = new Departure({
      ...{ log, handOvers: this.#handOvers, shards: () => [...this.#shards.keys()], silence: () => this.#beats.stop() },
      listen: async () => {
        const heard = await this.#speak();
        return heard && { able: this.#ableOf(heard), isOld: heard.isOld };
      },
      end: () => this.#end(),
    });
  }

  get shards(): readonly Shard[] {
    return [...this.#shards.values()];
  }

  /** Shards given back because of what a newer build has written in them. */
  get refused(): number {
    return this.#refusals.size;
  }

  async start(): Promise<void> {
    // The node of the cluster where pods wake each other may be away: what is missed meanwhile comes with a heartbeat.
    await waitAtMost(LISTEN_MS_MAX, this.#parts.wakeups.listen(podKeys.wakeup, this));
    this.#beats.start();
    this.#renewals.start();
  }

  /** Gives every shard to pods that take them, serving it until then; resolves when none is left. */
  leave(): Promise<void> {
    return this.#departure.leave();
  }

  /** Hands every shard back in order and leaves; without Redis, or when it takes too long, leaves the rest to the leases. */
  async stop(): Promise<void> {
    await this.#departure.stop();
    this.#renewals.stop();
    for (const shard of this.#shards.values()) shard.abandon();
  }

  async #end(): Promise<void> {
    this.#renewals.stop();
    await this.#giveBack(this.shards);
    await this.#heartbeat.leave();
  }

  onWakeup(message: string): void {
    if (message !== this.id) this.#beats.soon();
  }

  onMissedWakeups(): void {
    this.#beats.soon();
  }

  async #beat(): Promise<void> {
    const heard = await this.#speak();
    if (this.#departure.isAsked || heard === undefined) return;
    const { isOld } = heard;
    const able = this.#ableOf(heard);
    if (!isOld) this.readiness.onBeat(able);
    if (this.#behind.look()) return await this.#giveBack(this.shards);
    for (const { shard, status } of this.shards) if (status.loaded) this.#refusals.forget(shard);
    await Promise.all([this.#takeFree(able), isOld ? undefined : this.#handOver(able)]);
  }

  #ableOf(heard: HeartbeatAnswer): AblePods {
    const { formats, config } = this.#parts;
    return ablePods(heard, { ttlMs: config.LEASE_TTL_MS, recorded: formats.recorded });
  }

  #speak(): ReturnType<PodNews['speak']> {
    const { formats } = this.#parts;
    return this.#heard.speak({
      leaving: this.#departure.isAsked,
      shards: this.shards.map((shard) => shard.status),
      history: {
        lagMs: Math.max(0, ...this.shards.map((shard) => shard.state.historyStatus.lagMs)),
        mongoDown: this.shards.some((shard) => shard.state.historyStatus.mongoDown),
      },
      formats: { reads: NEWEST_FORMAT, writes: formats.current },
      refused: this.#refusals.list,
    });
  }

  onRenewal(lease: Lease, renewal: Renewal): void {
    const shard = this.#shards.get(lease.shard);
    if (shard?.lease !== lease) return;
    if (renewal === 'regained') shard.onRegained();
    if (renewal !== 'lost') return;
    this.#parts.log.warn({ shard: lease.shard, epoch: lease.epoch }, 'lease lost');
    this.#shards.delete(lease.shard);
    shard.abandon();
  }

  /** Takes free shards: at once those due to this pod, others when the pods before it do not take them. */
  async #takeFree(able: AblePods): Promise<void> {
    const { config } = this.#parts;
    const others = Array.from({ length: config.SHARDS }, (_, shard) => shard).filter((shard) => !this.#shards.has(shard));
    const left = await this.#heard.leasesLeft(others);
    this.#beatWhenFirstRunsOut([...left.values()]);
    for (const [shard, leftMs] of left) {
      if (leftMs !== NO_KEY) this.#turns.onOwned(shard);
      else {
        const rank = rankReaders(shard, able).indexOf(this.id);
        if (this.#turns.hasCome(shard, rank) && this.#refusals.mayTry(shard)) this.#take(shard);
      }
    }
  }

  /** A lease that runs out before the next beat is checked at its end, so that a dead pod's shards do not wait longer. */
  #beatWhenFirstRunsOut(leftMs: readonly number[]): void {
    this.#beats.soonAfter(Math.min(...leftMs.filter((ms) => ms !== NO_KEY)) + RUN_OUT_SLACK_MS);
  }

  #take(shard: number): void {
    if (this.#taking.has(shard) || this.#shards.has(shard)) return;
    this.#taking.add(shard);
    this.#takeNow(shard)
      .catch((error: unknown) => {
        if (error instanceof NewerFormat) this.#refusals.note(shard, error);
        else this.#parts.log.warn({ shard, err: error }, 'shard cannot be taken yet');
      })
      .finally(() => this.#taking.delete(shard));
  }

  async #takeNow(shard: number): Promise<void> {
    const { redis, mongo, config, log } = this.#parts;
    const lease = await takeShard({ redis, mongo, shard, podId: this.id, ttlMs: config.LEASE_TTL_MS });
    if (lease === undefined) return;
    log.info({ shard, epoch: lease.epoch, fromRedisAlone: lease.isProven }, 'shard taken');
    if (this.#departure.isAsked) {
      await releaseLease(redis, lease);
      return;
    }
    this.#turns.onTaken(shard);
    const owned = new Shard(this.#parts, lease, (ended, error) => this.#onEnded(ended, error));
    this.#shards.set(shard, owned);
    await owned.start();
    this.#beats.soon();
  }

  /** Hands over shards that another trusted pod should own, and soon those whose turn it is not yet. */
  async #handOver(able: AblePods): Promise<void> {
    const moving = [...this.#shards.keys()].filter((shard) => isDueToAnother(shard, this.id, able));
    if (await this.#handOvers.giveNext(moving, able)) setTimeout(() => this.#beats.soon(), HAND_OVER_EVERY_MS);
  }

  /** Each next owner is woken when its shard is free, and waits for no other. */
  async #giveBack(moving: readonly Shard[]): Promise<void> {
    const { redis, log } = this.#parts;
    await Promise.all(
      moving.map(async (shard) => {
        this.#shards.delete(shard.shard);
        await shard.release();
        publish(redis, podKeys.wakeup, this.id).catch((error: unknown) => log.debug({ err: error }, 'pods are not woken'));
      }),
    );
  }

  /** Decisions since the last commit are void; the next owner, which may be this pod, recovers the shard from the journal. */
  #onEnded(shard: Shard, error: Error): void {
    const { redis, log, metrics } = this.#parts;
    const isRefused = error instanceof NewerFormat;
    if (isRefused) this.#refusals.note(shard.shard, error);
    else log.warn({ shard: shard.shard, reason: error.message }, 'ownership ended, recovering the shard anew');
    metrics.onOwnershipEnded();
    if (error instanceof RedisLost) metrics.onRedisLost(error);
    this.#shards.delete(shard.shard);
    const pauseMs = this.#turns.onEnded(shard.shard);
    if (isRefused) this.#beats.soon();
    releaseLease(redis, shard.lease, { hasLost: error instanceof RedisLost }).then(
      () => setTimeout(() => this.#beats.soon(), pauseMs),
      (error: unknown) => log.warn({ shard: shard.shard, err: error }, 'lease not released, it will run out'),
    );
  }
}
