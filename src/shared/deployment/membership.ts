// One process among those of its deployment. Every second it announces its roles and the generations of stored forms
// that it reads and writes, and it learns which generation may be written. So a raised record holds everywhere a
// second later.
import { type Format, type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import { deploymentKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';
import type { DeploymentRecord } from './deploymentRecord.ts';

const BEAT_MS = 1000;
/** A process that was silent for so long is gone, ms. */
export const SILENT_MS = 10_000;

const beatScript = new Script(`
-- Writes what a process says of itself under Redis's clock, forgets processes long silent, answers with the generation
-- that may be written. A record that Redis has lost meanwhile is put back.
-- KEYS  record, processes.
-- ARGV  process, its JSON, silence in ms after which a process is forgotten, number of shards, generation.
-- Answers the generation of the record.
-- Atomic because a process that is forgotten must not have spoken in between.
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', nowMs) .. ' ' .. ARGV[2])
local processes = redis.call('HGETALL', KEYS[2])
for i = 1, #processes, 2 do
  local atMs = tonumber(string.match(processes[i + 1], '^(%d+)')) or 0
  if nowMs - atMs > tonumber(ARGV[3]) then redis.call('HDEL', KEYS[2], processes[i]) end
end
redis.call('HSETNX', KEYS[1], 'shards', ARGV[4])
redis.call('HSETNX', KEYS[1], 'formats', ARGV[5])
return redis.call('HGET', KEYS[1], 'formats')
`);

/** What a process says of itself, in the hash `{deployment}:processes` (process -> `<ms> <JSON>`). */
export interface Announcement {
  readonly roles: readonly string[];
  /** The newest generation of stored forms that it reads and can write. */
  readonly reads: number;
  /** The generation that it writes now. */
  readonly writes: number;
}

export interface MembershipParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly nodeId: string;
  readonly roles: readonly string[];
  /** The record has risen beyond what this build reads. */
  readonly onLeftBehind: (recorded: number) => void;
}

export class Membership implements FormatSource {
  readonly #parts: MembershipParts;
  readonly #shards: number;
  #recorded: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: MembershipParts, { shards, formats }: DeploymentRecord) {
    this.#parts = parts;
    this.#shards = shards;
    this.#recorded = formats;
  }

  get current(): Format {
    return Math.min(this.#recorded, NEWEST_FORMAT) as Format;
  }

  get recorded(): number {
    return this.#recorded;
  }

  /** Speaks at once and from then on; resolves when it has spoken, or has failed to. */
  async start(): Promise<this> {
    await this.#beat();
    return this;
  }

  async stop(): Promise<void> {
    const { redis, nodeId } = this.#parts;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // Redis is away: the process counts as gone when its last heartbeat is too old.
    if (redis.status === 'ready') await redis.hdel(deploymentKeys.processes, nodeId);
  }

  async #beat(): Promise<void> {
    const { log, onLeftBehind } = this.#parts;
    try {
      const recorded = await this.#speak();
      const wasLeftBehind = this.#recorded > NEWEST_FORMAT;
      if (recorded !== this.#recorded) log.info({ recorded, reads: NEWEST_FORMAT }, 'generation of stored forms changed');
      this.#recorded = recorded;
      if (recorded > NEWEST_FORMAT && !wasLeftBehind) onLeftBehind(recorded);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ reason }, 'process could not say what it reads');
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#beat(), BEAT_MS);
  }

  async #speak(): Promise<number> {
    const { redis, nodeId, roles } = this.#parts;
    const said: Announcement = { roles, reads: NEWEST_FORMAT, writes: this.current };
    const args = [nodeId, JSON.stringify(said), SILENT_MS, this.#shards, this.#recorded];
    return Number(await beatScript.run(redis, [deploymentKeys.record, deploymentKeys.processes], args));
  }
}
