// What a pod tells the others in the hash of pods, and what it reads of them. All times are Redis's own, so pods need
// not agree on the time. Other pods trust a pod with shards when it has announced itself without a pause for long
// enough. The same answer says which shards an operator has moved.
import { NO_PINS, readPins, type ShardPins } from '../../../shared/domain/shardPins.ts';
import { podKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { publish } from '../../../shared/redis/subscriptions/channels.ts';
import { type PodReport, type PodStatus, parsePodStatus } from '../../core/messages/podStatus.ts';
import { heartbeatScript } from './heartbeatScript.ts';

/** What the pods say, by Redis's clock. */
export interface Heard {
  readonly nowMs: number;
  /** All that are not removed, the one that has spoken too. */
  readonly pods: PodStatus[];
  readonly pins: ShardPins;
}

/** A pod that has been silent for this many lease lives is removed. */
const FORGOTTEN_AFTER_TTLS = 20;

export class Heartbeat {
  readonly #redis: Redis;
  readonly #podId: string;
  readonly #ttlMs: number;
  #sinceMs = 0;
  #spokeAtMs = 0;
  /** The record of moved shards as Redis last had it. */
  #pinsText = '';

  /** @param options.ttlMs life of a lease: a longer silence is a pause */
  constructor(options: { redis: Redis; podId: string; ttlMs: number }) {
    this.#redis = options.redis;
    this.#podId = options.podId;
    this.#ttlMs = options.ttlMs;
  }

  async speak(report: Omit<PodReport, 'sinceMs' | 'pins'>): Promise<Heard> {
    const known = readPins(this.#pinsText);
    const [nowMs, sinceMs, pinsText, ...told] = await this.#run(
      JSON.stringify({ ...report, ...(known && { pins: known.number }) }),
    );
    [this.#sinceMs, this.#spokeAtMs, this.#pinsText] = [sinceMs, nowMs, pinsText];
    const pins = readPins(pinsText) ?? NO_PINS;
    const pods: PodStatus[] = [];
    for (let i = 0; i < told.length; i += 2) pods.push(parsePodStatus(told[i] as string, told[i + 1] as string));
    return { nowMs, pins, pods };
  }

  /** Removes this pod, and wakes the remaining ones. */
  async leave(): Promise<void> {
    await this.#run('');
    await publish(this.#redis, podKeys.wakeup, this.#podId);
  }

  async #run(report: string): Promise<[nowMs: number, sinceMs: number, pins: string, ...told: string[]]> {
    const silences = [this.#spokeAtMs, this.#sinceMs, this.#ttlMs];
    const args = [this.#podId, report, FORGOTTEN_AFTER_TTLS * this.#ttlMs, this.#pinsText, ...silences];
    return (await heartbeatScript.run(this.#redis, [podKeys.pods, podKeys.pins], args)) as [number, number, string, ...string[]];
  }
}
