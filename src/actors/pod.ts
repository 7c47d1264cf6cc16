// One actor process among others: says that it lives, keeps its leases, takes shards that are free and due to it, hands
// over those that another pod should have. Pods agree by the same list and the same arithmetic, never by talking.
import { randomBytes } from 'node:crypto';
import { type FormatSource, NEWEST_FORMAT, NewerFormat } from '../shared/domain/formats.ts';
import { podKeys, shardKeys } from '../shared/redis/keys.ts';
import { within } from '../shared/waitAtMost.ts';
import type { BellListener } from './commit/wakeups.ts';
import { rankPods, rankReaders } from './domain/messages/podRanking.ts';
import { canRead, hasRefused, type PodReport, type PodStatus, parsePodStatus } from './domain/messages/podStatus.ts';
import { heartbeatScript } from './ownership/heartbeatScript.ts';
import { releaseLease, renewLease, takeLease } from './ownership/lease.ts';
import { readShardFloor } from './ownership/recovery.ts';
import { Refusals } from './ownership/refusals.ts';
import type { ShardParts } from './shard/shardParts.ts';
import { Shard } from './shard.ts';

/** Heartbeats and renewals per life of a lease: two may fail. */
const BEATS_PER_TTL = 3;
/** A pod must have spoken so many lease lives without a pause before shards are handed over to it. */
const SETTLED_AFTER_TTLS = 2;
/** A pod that has been silent for so many lease lives is forgotten. */
const FORGOTTEN_AFTER_TTLS = 20;
/** Shards handed over at one heartbeat: the others go on undisturbed meanwhile. */
const HANDED_OVER_MAX = 4;
/** Pause before a shard whose ownership has just ended by itself is taken again, ms; doubled each time. */
const RETAKE_MS_MIN = 50;
const RETAKE_MS_MAX = 5000;
/** Redis's answer to PTTL of a key that is not there. */
const NO_KEY = -2;
/** How long after a lease's end it is looked at, ms. */
const RUN_OUT_SLACK_MS = 10;
/** Longest a pod takes to leave, ms. */
const STOP_WITHIN_MS = 5000;
/** A shard that a newer build has to read is tried again after so many lease lives. */
const REFUSED_FOR_TTLS = 10;
/** An ownership that has lasted this long was a good one, ms. */
const GOOD_AFTER_MS = 10_000;

export interface PodParts extends ShardParts {
  readonly formats: FormatSource;
}

export class Pod implements BellListener {
  readonly id: string;
  readonly #parts: PodParts;
  readonly #shards = new Map<number, Shard>();
  readonly #taking = new Set<number>();
  /** When each shard without an owner was first seen so. */
  readonly #freeSinceMs = new Map<number, number>();
  readonly #setbacks = new Map<number, { count: number; takenAtMs: number; notBeforeMs: number }>();
  readonly #refusals: Refusals;
  #sinceMs = 0;
  #spokeAtMs = 0;
  #isLeaving = false;
  /** The deployment writes what this build cannot read. */
  #isBehind = false;
  #beat: Promise<void> | undefined;
  #isBeatWanted = false;
  #timer: NodeJS.Timeout | undefined;
  #runOutTimer: NodeJS.Timeout | undefined;

  /** @param nodeId name for logs and tokens; a random part makes each life of the process another pod */
  constructor(nodeId: string, parts: PodParts) {
    this.#parts = parts;
    this.id = `${nodeId}.${randomBytes(4).toString('hex')}`;
    this.#refusals = new Refusals({ retryMs: REFUSED_FOR_TTLS * parts.config.LEASE_TTL_MS, now: parts.now });
  }

  get shards(): readonly Shard[] {
    return [...this.#shards.values()];
  }

  /** Shards given back because of what a newer build has written in them. */
  get refused(): number {
    return this.#refusals.size;
  }

  async start(): Promise<void> {
    const { bells, config } = this.#parts;
    await bells.listen(podKeys.bell, this);
    this.#timer = setInterval(() => this.#beatSoon(), config.LEASE_TTL_MS / BEATS_PER_TTL);
    this.#beatSoon();
  }

  /** Hands every shard back in order and leaves; without Redis, or when it takes too long, leaves the rest to the leases. */
  async stop(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#timer);
    clearTimeout(this.#runOutTimer);
    const leaving = this.#leave().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'pod has not left in order');
    });
    await within(STOP_WITHIN_MS, leaving);
    for (const shard of this.#shards.values()) shard.abandon();
  }

  async #leave(): Promise<void> {
    const { redis } = this.#parts;
    await this.#beat;
    await Promise.all(
      this.shards.map(async (shard) => {
        await shard.release();
        this.#forget(shard);
      }),
    );
    await heartbeatScript.run(redis, [podKeys.pods], [this.id, '', this.#forgottenAfterMs]);
    await redis.publish(podKeys.bell, this.id);
  }

  onBell(message: string): void {
    if (message !== this.id) this.#beatSoon();
  }

  onDeaf(): void {
    this.#beatSoon();
  }

  /** One beat at a time; a wish that comes during one is granted after it. */
  #beatSoon(): void {
    if (this.#beat !== undefined) {
      this.#isBeatWanted = true;
      return;
    }
    if (this.#isLeaving) return;
    this.#isBeatWanted = false;
    this.#beat = this.#doBeat()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'heartbeat failed'))
      .finally(() => {
        this.#beat = undefined;
        if (this.#isBeatWanted) this.#beatSoon();
      });
  }

  async #doBeat(): Promise<void> {
    const [{ nowMs, pods }] = await Promise.all([this.#speak(), ...this.shards.map((shard) => this.#renew(shard))]);
    if (this.#isLeaving) return;
    this.#lookAtRecord();
    if (this.#isBehind) return await this.#giveBack(this.shards);
    for (const { shard, status } of this.shards) if (status.loaded) this.#refusals.forget(shard);
    const { formats, config } = this.#parts;
    const { LEASE_TTL_MS } = config;
    const able = pods.filter((pod) => !pod.leaving && nowMs - pod.atMs <= LEASE_TTL_MS && canRead(pod, formats.recorded));
    const isSettled = (pod: PodStatus): boolean => nowMs - pod.sinceMs >= SETTLED_AFTER_TTLS * LEASE_TTL_MS;
    const settled = able.filter(isSettled);
    const fresh = able.filter((pod) => !isSettled(pod));
    await Promise.all([this.#takeFree(settled, fresh), this.#handOver(settled)]);
  }

  async #speak(): Promise<{ nowMs: number; pods: PodStatus[] }> {
    const { redis, config, formats } = this.#parts;
    const report: PodReport = {
      sinceMs: this.#sinceMs,
      leaving: this.#isLeaving,
      shards: this.shards.map((shard) => shard.status),
      history: {
        lagMs: Math.max(0, ...this.shards.map((shard) => shard.historyStatus.lagMs)),
        mongoDown: this.shards.some((shard) => shard.historyStatus.mongoDown),
      },
      formats: { reads: NEWEST_FORMAT, writes: formats.current },
      refused: this.#refusals.list,
    };
    const answer = await heartbeatScript.run(redis, [podKeys.pods], [this.id, JSON.stringify(report), this.#forgottenAfterMs]);
    const [nowMs, ...rest] = answer as [number, ...string[]];
    if (nowMs - this.#spokeAtMs > config.LEASE_TTL_MS) this.#sinceMs = nowMs;
    this.#spokeAtMs = nowMs;
    const pods: PodStatus[] = [];
    for (let i = 0; i < rest.length; i += 2) pods.push(parsePodStatus(rest[i] as string, rest[i + 1] as string));
    return { nowMs, pods: pods.map((pod) => (pod.podId === this.id ? { ...pod, sinceMs: this.#sinceMs } : pod)) };
  }

  get #forgottenAfterMs(): number {
    return FORGOTTEN_AFTER_TTLS * this.#parts.config.LEASE_TTL_MS;
  }

  async #renew(shard: Shard): Promise<void> {
    const { redis, config, log } = this.#parts;
    if (await renewLease(redis, shard.lease, config.LEASE_TTL_MS)) return;
    if (this.#shards.get(shard.shard) !== shard) return;
    log.warn({ shard: shard.shard, epoch: shard.lease.epoch }, 'lease lost');
    this.#forget(shard);
    shard.abandon();
  }

  /** Takes free shards: at once those that fall to this pod, others when whoever should have them lets them lie. */
  async #takeFree(settled: readonly PodStatus[], fresh: readonly PodStatus[]): Promise<void> {
    const { redis, config, now } = this.#parts;
    const others = Array.from({ length: config.SHARDS }, (_, shard) => shard).filter((shard) => !this.#shards.has(shard));
    const leftMs = await Promise.all(others.map((shard) => redis.pttl(shardKeys.lease(shard))));
    this.#beatWhenFirstRunsOut(leftMs);
    for (const [i, shard] of others.entries()) {
      if (leftMs[i] !== NO_KEY) {
        this.#freeSinceMs.delete(shard);
        continue;
      }
      const freeSinceMs = this.#freeSinceMs.get(shard) ?? now();
      this.#freeSinceMs.set(shard, freeSinceMs);
      const rank = rankReaders(shard, settled, fresh).indexOf(this.id);
      const isTurn = rank >= 0 && now() - freeSinceMs >= (rank * config.LEASE_TTL_MS) / 2;
      if (isTurn && now() >= (this.#setbacks.get(shard)?.notBeforeMs ?? 0) && this.#refusals.mayTry(shard)) this.#take(shard);
    }
  }

  /** A lease that runs out before the next beat is looked at when it does: a dead pod's shards wait no longer than that. */
  #beatWhenFirstRunsOut(leftMs: readonly number[]): void {
    const first = Math.min(...leftMs.filter((ms) => ms !== NO_KEY));
    clearTimeout(this.#runOutTimer);
    if (first >= this.#parts.config.LEASE_TTL_MS / BEATS_PER_TTL) return;
    this.#runOutTimer = setTimeout(() => this.#beatSoon(), first + RUN_OUT_SLACK_MS);
  }

  #take(shard: number): void {
    if (this.#taking.has(shard) || this.#shards.has(shard)) return;
    this.#taking.add(shard);
    this.#takeNow(shard)
      .catch((error: unknown) => {
        if (error instanceof NewerFormat) this.#refuse(shard, error);
        else this.#parts.log.warn({ shard, err: error }, 'shard cannot be taken yet');
      })
      .finally(() => this.#taking.delete(shard));
  }

  async #takeNow(shard: number): Promise<void> {
    const { redis, mongo, config, now, log } = this.#parts;
    const floor = await readShardFloor({ redis, mongo, shard });
    const lease = await takeLease({ redis, shard, podId: this.id, ttlMs: config.LEASE_TTL_MS, floor });
    if (lease === 'taken' || lease === 'stale') return;
    log.info({ shard, epoch: lease.epoch }, 'shard taken');
    if (this.#isLeaving) {
      await releaseLease(redis, lease);
      return;
    }
    this.#freeSinceMs.delete(shard);
    const { count = 0, notBeforeMs = 0 } = this.#setbacks.get(shard) ?? {};
    this.#setbacks.set(shard, { count, notBeforeMs, takenAtMs: now() });
    const owned = new Shard(this.#parts, lease, (ended, error) => this.#onEnded(ended, error));
    this.#shards.set(shard, owned);
    await owned.start();
    this.#beatSoon();
  }

  /** Gives away what another settled pod should own. */
  async #handOver(settled: readonly PodStatus[]): Promise<void> {
    const isDueToAnother = ({ shard }: Shard): boolean => {
      const others = settled.filter((pod) => pod.podId !== this.id && !hasRefused(pod, shard)).map(({ podId }) => podId);
      return rankPods(shard, [...others, this.id])[0] !== this.id;
    };
    await this.#giveBack(this.shards.filter(isDueToAnother).slice(0, HANDED_OVER_MAX));
  }

  async #giveBack(moving: readonly Shard[]): Promise<void> {
    const { redis } = this.#parts;
    if (moving.length === 0) return;
    await Promise.all(
      moving.map(async (shard) => {
        this.#forget(shard);
        await shard.release();
      }),
    );
    await redis.publish(podKeys.bell, this.id);
  }

  #forget(shard: Shard): void {
    this.#shards.delete(shard.shard);
  }

  /** What was decided is void; whoever takes the shard next, this pod too, recovers it from the journal. */
  #onEnded(shard: Shard, error: Error): void {
    const { redis, log, metrics, now } = this.#parts;
    const isRefused = error instanceof NewerFormat;
    if (isRefused) this.#refuse(shard.shard, error);
    else log.warn({ shard: shard.shard, reason: error.message }, 'ownership ended, recovering the shard anew');
    metrics.onOwnershipEnded();
    this.#forget(shard);
    const { count = 0, takenAtMs = 0 } = this.#setbacks.get(shard.shard) ?? {};
    const setbacks = now() - takenAtMs > GOOD_AFTER_MS ? 1 : count + 1;
    const pauseMs = Math.min(RETAKE_MS_MIN * 2 ** (setbacks - 1), RETAKE_MS_MAX);
    this.#setbacks.set(shard.shard, { count: setbacks, takenAtMs, notBeforeMs: now() + pauseMs });
    if (isRefused) this.#beatSoon();
    releaseLease(redis, shard.lease).then(
      () => setTimeout(() => this.#beatSoon(), pauseMs),
      (error: unknown) => log.warn({ shard: shard.shard, err: error }, 'lease not released, it will run out'),
    );
  }

  /** The shard is left to pods that can read it; nothing in it is touched. */
  #refuse(shard: number, newer: NewerFormat): void {
    const { log } = this.#parts;
    const { form, version, message } = newer;
    if (this.#refusals.note(shard, newer))
      log.warn({ shard, form, version, reads: NEWEST_FORMAT, reason: message }, 'shard refused');
  }

  /** Says once that this build cannot read what the deployment may write, or that it can again. */
  #lookAtRecord(): void {
    const { formats, log } = this.#parts;
    const { recorded } = formats;
    const isBehind = recorded > NEWEST_FORMAT;
    if (isBehind && !this.#isBehind) {
      log.error({ recorded, reads: NEWEST_FORMAT }, 'the deployment writes newer forms than this build reads: it takes no shard');
    } else if (!isBehind && this.#isBehind) log.info({ recorded }, 'this build reads what the deployment writes again');
    this.#isBehind = isBehind;
  }
}
