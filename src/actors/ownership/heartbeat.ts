// What a pod tells the others in the hash of pods, and what it reads of them. All times are Redis's own, so pods need
// not agree on the time. Other pods trust a pod with shards when it has announced itself without a pause for long
// enough.
import { podKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { publish } from '../../shared/redis/subscriptions/channels.ts';
import { type PodReport, type PodStatus, parsePodStatus } from '../domain/messages/podStatus.ts';
import { heartbeatScript } from './heartbeatScript.ts';

/** A pod that has been silent for this many lease lives is removed. */
const FORGOTTEN_AFTER_TTLS = 20;

export class Heartbeat {
  readonly #redis: Redis;
  readonly #podId: string;
  readonly #ttlMs: number;
  #sinceMs = 0;
  #spokeAtMs = 0;

  /** @param options.ttlMs life of a lease: a longer silence is a pause */
  constructor(options: { redis: Redis; podId: string; ttlMs: number }) {
    this.#redis = options.redis;
    this.#podId = options.podId;
    this.#ttlMs = options.ttlMs;
  }

  /** @returns all pods that are not removed, this one too */
  async speak(report: Omit<PodReport, 'sinceMs'>): Promise<{ nowMs: number; pods: PodStatus[] }> {
    const [nowMs, ...told] = await this.#run(JSON.stringify({ sinceMs: this.#sinceMs, ...report }));
    if (nowMs - this.#spokeAtMs > this.#ttlMs) this.#sinceMs = nowMs;
    this.#spokeAtMs = nowMs;
    const pods: PodStatus[] = [];
    for (let i = 0; i < told.length; i += 2) pods.push(parsePodStatus(told[i] as string, told[i + 1] as string));
    return { nowMs, pods: pods.map((pod) => (pod.podId === this.#podId ? { ...pod, sinceMs: this.#sinceMs } : pod)) };
  }

  /** Removes this pod, and wakes the remaining ones. */
  async leave(): Promise<void> {
    await this.#run('');
    await publish(this.#redis, podKeys.wakeup, this.#podId);
  }

  async #run(report: string): Promise<[nowMs: number, ...told: string[]]> {
    const args = [this.#podId, report, FORGOTTEN_AFTER_TTLS * this.#ttlMs];
    return (await heartbeatScript.run(this.#redis, [podKeys.pods], args)) as [number, ...string[]];
  }
}
