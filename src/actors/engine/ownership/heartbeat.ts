// What a pod tells the others in the hash of pods, and what it reads of them. All times are Redis's own, so pods need
// not agree on the time. Other pods trust a pod with shards when it has announced itself without a pause for long
// enough. The same answer says which shards an operator has moved.

import { RAISE_PINS_LUA } from '../../../shared/deployment/shardPinsRecord.ts';
import { NO_PINS, readPins, type ShardPins } from '../../../shared/domain/shards.ts';
import type { Logger } from '../../../shared/logger.ts';
import { publish } from '../../../shared/redis/channels.ts';
import { podKeys, shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import { PendingAnswers } from '../../../shared/waiting.ts';
import { type PodReport, type PodStatus, parsePodStatus } from '../../core/messages/podStatus.ts';

/** What the pods say, by Redis's clock. */
export interface HeartbeatAnswer {
  readonly nowMs: number;
  /** All that are not removed, the one that has spoken too. */
  readonly pods: PodStatus[];
  readonly pins: ShardPins;
}

/** A pod that has been silent for this many lease lives is removed. */
const FORGOTTEN_AFTER_TTLS = 20;

interface HeartbeatParts {
  readonly redis: Redis;
  readonly podId: string;
  /** Life of a lease: a longer silence is a pause. */
  readonly ttlMs: number;
}

export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #sinceMs = 0;
  #spokeAtMs = 0;
  /** The record of moved shards as Redis last had it. */
  #pinsText = '';

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
  }

  async speak(report: Omit<PodReport, 'sinceMs' | 'pins'>): Promise<HeartbeatAnswer> {
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
    await publish(this.#parts.redis, podKeys.wakeup, this.#parts.podId);
  }

  async #run(report: string): Promise<[nowMs: number, sinceMs: number, pins: string, ...told: string[]]> {
    const silences = [this.#spokeAtMs, this.#sinceMs, this.#parts.ttlMs];
    const args = [this.#parts.podId, report, FORGOTTEN_AFTER_TTLS * this.#parts.ttlMs, this.#pinsText, ...silences];
    return (await heartbeatScript.run(this.#parts.redis, [podKeys.pods, podKeys.pins], args)) as [
      number,
      number,
      string,
      ...string[],
    ];
  }
}

const heartbeatScript = new Script(
  'podHeartbeat',
  `
-- Writes the pod's status under Redis's clock, forgets pods long silent, answers all.
-- KEYS  pods, record of moved shards.
-- ARGV  pod id, status JSON ('' = leave), silence in ms after which a pod is forgotten, the record of moved shards as the pod knows
--       it ('' = none): put back when Redis has lost it; when the pod last spoke, since when without a pause, and the silence in ms
--       that is a pause.
-- Answers {Redis's time in ms, since when the pod speaks without a pause, record of moved shards, pod id, status, pod id, status, ...}; a status is '<ms> <JSON>'.
-- Atomic because a pod that is forgotten must not have spoken in between. One clock for all: pods need not agree on time.
${RAISE_PINS_LUA}
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local sinceMs = tonumber(ARGV[6])
if nowMs - tonumber(ARGV[5]) > tonumber(ARGV[7]) then sinceMs = nowMs end
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1])
else
  local status = string.format('{"sinceMs":%.0f,', sinceMs) .. string.sub(ARGV[2], 2)
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f ', nowMs) .. status)
end
local answer = {nowMs, sinceMs, raisePins(KEYS[2], ARGV[4])}
local pods = redis.call('HGETALL', KEYS[1])
for i = 1, #pods, 2 do
  local atMs = tonumber(string.match(pods[i + 1], '^(%d+)')) or 0
  if nowMs - atMs > tonumber(ARGV[3]) then redis.call('HDEL', KEYS[1], pods[i])
  else answer[#answer + 1] = pods[i]; answer[#answer + 1] = pods[i + 1] end
end
return answer
`,
  { whenFull: 'runs' },
);

interface BeatLoopParts {
  readonly log: Logger;
  readonly everyMs: number;
  readonly beat: () => Promise<void>;
}

/**
 * When a pod sends its heartbeat: at regular times, and sooner on request. One heartbeat runs at a time; a request during one
 * is served after it.
 */
export class BeatLoop {
  readonly #parts: BeatLoopParts;
  #running: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  #soonTimer: NodeJS.Timeout | undefined;

  constructor(parts: BeatLoopParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.soon(), this.#parts.everyMs);
    this.soon();
  }

  /** Beats now, or after the beat that is running. */
  soon(): void {
    if (this.#isStopped) return;
    this.#isWanted = this.#running !== undefined;
    if (this.#isWanted) return;
    this.#running = this.#parts
      .beat()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'heartbeat failed'))
      .finally(() => {
        this.#running = undefined;
        if (this.#isWanted) this.soon();
      });
  }

  /** Beats after this time instead of the one named before, if that is before the next regular beat. */
  soonAfter(ms: number): void {
    clearTimeout(this.#soonTimer);
    if (ms < this.#parts.everyMs && !this.#isStopped) this.#soonTimer = setTimeout(() => this.soon(), ms);
  }

  /** Resolves when the beat that is running has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#soonTimer);
    await this.#running;
  }
}

/**
 * What a pod hears of the others and of free shards, when nodes of Redis may be away: it waits for none of them longer than a
 * part of a heartbeat's time. While the node of the pods is silent, they count as they were heard last: who may take a free
 * shard follows from that, and the order in which they try needs no news of them.
 */
export class PodNews {
  readonly #redis: Redis;
  readonly #heartbeat: Heartbeat;
  readonly #spoken: PendingAnswers<'pods', HeartbeatAnswer>;
  readonly #left: PendingAnswers<number, number>;
  #last: HeartbeatAnswer | undefined;

  /** @param options.withinMs for each of the two questions of a beat */
  constructor(options: { redis: Redis; heartbeat: Heartbeat; withinMs: number }) {
    this.#redis = options.redis;
    this.#heartbeat = options.heartbeat;
    this.#spoken = new PendingAnswers(options.withinMs);
    this.#left = new PendingAnswers(options.withinMs);
  }

  /** @returns undefined before anything was heard; `isOld`: there was no answer in time */
  async speak(report: Parameters<Heartbeat['speak']>[0]): Promise<(HeartbeatAnswer & { readonly isOld: boolean }) | undefined> {
    const heard = await this.#spoken.answer('pods', () => this.#heartbeat.speak(report));
    this.#last = heard ?? this.#last;
    return this.#last && { ...this.#last, isOld: heard === undefined };
  }

  /** How long the leases of shards go on, as PTTL says it; shards of a node that does not answer are missing. */
  async leasesLeft(shards: readonly number[]): Promise<Map<number, number>> {
    const left = await Promise.all(
      shards.map((shard) => this.#left.answer(shard, () => this.#redis.pttl(shardKeys.lease(shard)))),
    );
    return new Map(shards.flatMap((shard, i) => (left[i] === undefined ? [] : [[shard, left[i]]])));
  }
}
