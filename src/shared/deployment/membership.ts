// One process among those of its deployment. Every second it announces its roles and the generations of stored forms
// that it reads and writes, and it learns which generation may be written and what time it is. So a raised record holds
// everywhere a second later. It also finds out when another process has its name.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FORMS_LINE, type Format, type FormatSource, NEWEST_FORMAT } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import { deploymentKeys } from '../redis/keys.ts';
import { clientLists, type Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';
import { waitAtMost } from '../waiting.ts';
import { type DeploymentRecord, WrongDeployment } from './deploymentRecord.ts';
import type { ClockWatch, ExchangeClock } from './exchangeClock.ts';

const BEAT_MS = 1000;
/** A process that was silent for so long is gone, ms. */
export const SILENT_MS = 10_000;

/** The clock's first estimate is the best of so many answers. */
const FIRST_BEATS = 3;
/** A process that has the name, is connected and says nothing for so long has ended, ms: it would have spoken twice. */
const SUCCEEDED_AFTER_MS = 3000;
const LOOK_AGAIN_MS = 100;

/** The note of a process about itself, in the hash `{deployment}:processes` (process -> `<ms> <JSON>`). */
export interface Announcement {
  readonly roles: readonly string[];
  /** The newest generation of stored forms that it reads and can write. */
  readonly reads: number;
  /** The generation that it writes now. */
  readonly writes: number;
  /** Tells it from another process of the same name. */
  readonly life?: string;
  /** How far the clock of its machine is ahead of Redis's, ms; absent = it is right. */
  readonly clockAheadMs?: number;
}

interface MembershipParts {
  readonly redis: Redis;
  readonly log: Logger;
  readonly nodeId: string;
  readonly roles: readonly string[];
  /** The record has risen beyond what this build reads. */
  readonly onLeftBehind: (recorded: number) => void;
  /** Another process goes by this one's name from now on: this one has to end. */
  readonly onReplaced: (error: WrongDeployment) => void;
  /** Is told Redis's time, and how far exchange time is ahead of it. */
  readonly clock: ExchangeClock;
  readonly clockWatch: ClockWatch;
}

export class Membership implements FormatSource {
  readonly #parts: MembershipParts;
  readonly #shards: number;
  readonly #life = randomBytes(8).toString('hex');
  #recorded: number;
  #isReplaced = false;
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

  /**
   * Speaks at once and from then on; resolves when it has spoken, or has failed to.
   * @throws {WrongDeployment} when a process that lives has the same name
   */
  async start(): Promise<this> {
    try {
      await this.#takeName();
      for (let beat = 1; beat < FIRST_BEATS; beat++) await this.#speak();
    } catch (error) {
      if (error instanceof WrongDeployment) throw error;
      this.#onSilent(error);
    }
    this.#later();
    return this;
  }

  async stop(): Promise<void> {
    const { redis, nodeId } = this.#parts;
    this.#isStopped = true;
    clearTimeout(this.#timer);
    // Redis is away: the process counts as gone when its last heartbeat is too old.
    if (redis.status !== 'ready' || this.#isReplaced) return;
    await waitAtMost(BEAT_MS, redis.hdel(deploymentKeys.processes, nodeId));
  }

  /** The name of a process that was killed is free at once: Redis has seen its connection end. */
  async #takeName(): Promise<void> {
    const { redis, nodeId, log } = this.#parts;
    let spoken = await this.#speak();
    const { heardOfOther: first } = spoken;
    for (const since = performance.now(); spoken.heardOfOther !== undefined; spoken = await this.#speak()) {
      if (spoken.heardOfOther !== first) throw nameTaken(nodeId);
      const isGone = !(await isConnectedElsewhere(redis, nodeId));
      if (isGone || performance.now() - since > SUCCEEDED_AFTER_MS) {
        log.info({ nodeId }, 'an earlier process of this name has ended without a word');
        await this.#speak({ takesName: true });
        return;
      }
      await pause(LOOK_AGAIN_MS);
    }
  }

  #later(): void {
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#beat(), BEAT_MS);
  }

  async #beat(): Promise<void> {
    const { nodeId, onReplaced } = this.#parts;
    try {
      const { heardOfOther } = await this.#speak();
      if (heardOfOther !== undefined && !this.#isReplaced && !this.#isStopped) {
        this.#isReplaced = true;
        onReplaced(nameTaken(nodeId));
      }
    } catch (error) {
      this.#onSilent(error);
    }
    this.#later();
  }

  /** @returns when another process of this name spoke last, ms: nothing was said then */
  async #speak({ takesName }: { takesName: boolean } = { takesName: false }): Promise<{ heardOfOther?: number }> {
    const { redis, nodeId, roles, clock, clockWatch } = this.#parts;
    const clockAheadMs = clockWatch.look();
    const said: Announcement = {
      ...{ roles, reads: NEWEST_FORMAT, writes: this.current, life: this.#life },
      ...(clockAheadMs !== 0 && { clockAheadMs }),
    };
    const keys = [deploymentKeys.record, deploymentKeys.processes, deploymentKeys.clock];
    const name = [this.#life, takesName ? 1 : 0];
    const { offsetMs: knownMs, marketMs: marketKnownMs } = clock.offsets;
    const sentAt = performance.now();
    const answer = await beatScript.run(redis, keys, [
      nodeId,
      JSON.stringify(said),
      SILENT_MS,
      this.#shards,
      this.#recorded,
      ...name,
      ...[knownMs, marketKnownMs, FORMS_LINE],
    ]);
    const [kind, told, redisMs, offsetMs, marketMs] = answer as [BeatAnswer, number, number, number, number];
    clock.observe({ redisMs, sentAt, heardAt: performance.now() });
    clock.shift({ offsetMs, marketMs });
    if (kind === 'other') return { heardOfOther: told };
    this.#onRecord(told);
    return {};
  }

  #onRecord(recorded: number): void {
    const { log, onLeftBehind } = this.#parts;
    const wasLeftBehind = this.#recorded > NEWEST_FORMAT;
    if (recorded !== this.#recorded) log.info({ recorded, reads: NEWEST_FORMAT }, 'generation of stored forms changed');
    this.#recorded = recorded;
    if (recorded > NEWEST_FORMAT && !wasLeftBehind) onLeftBehind(recorded);
  }

  #onSilent(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#parts.log.warn({ reason }, 'process could not say what it reads');
  }
}

const nameTaken = (nodeId: string): WrongDeployment =>
  new WrongDeployment(
    `Another process of this deployment runs under NODE_ID=${nodeId}: give each process another name, or none (then it makes one).`,
  );

/** True when another connection than this one is named after the process. */
async function isConnectedElsewhere(redis: Redis, nodeId: string): Promise<boolean> {
  const lists = await clientLists(redis);
  return lists.some(({ own, list }) =>
    list.split('\n').some((line) => line.includes(` name=${nodeId} `) && !line.startsWith(`id=${own} `)),
  );
}

/** First element of the script's answer. */
type BeatAnswer = 'spoken' | 'other';

const beatScript = new Script(
  'beat',
  `
-- Writes what a process says of itself under Redis's clock, forgets processes long silent. Two processes with one name are
-- told apart by the random part of what they say. A record that Redis has lost meanwhile is put back.
-- KEYS  record, processes, clock.
-- ARGV  process, its JSON, silence in ms after which a process is forgotten, number of shards, generation, random part of
--       this process, 1 = take the name whatever another process of that name says, how far it has set exchange time ahead, and
--       the market's, in ms; line of forms.
-- Answers {'spoken', generation of the record, Redis's time in ms, both offsets of the clock} | {'other', time at which another
--   process of this name spoke last, Redis's time in ms, both offsets}: nothing is written then.
-- Atomic because a process that is forgotten must not have spoken in between, and because only one may get a name.
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local offset = math.max(tonumber(redis.call('HGET', KEYS[3], 'offset') or '0'), tonumber(ARGV[8]))
local market = math.max(tonumber(redis.call('HGET', KEYS[3], 'market') or '0'), tonumber(ARGV[9]))
local processes = redis.call('HGETALL', KEYS[2])
for i = 1, #processes, 2 do
  local atMs = tonumber(string.match(processes[i + 1], '^(%d+)')) or 0
  if nowMs - atMs > tonumber(ARGV[3]) then redis.call('HDEL', KEYS[2], processes[i])
  elseif processes[i] == ARGV[1] and ARGV[7] ~= '1' and not string.find(processes[i + 1], ARGV[6], 1, true) then
    return {'other', atMs, nowMs, offset, market}
  end
end
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', nowMs) .. ' ' .. ARGV[2])
if redis.call('HSETNX', KEYS[1], 'shards', ARGV[4]) == 1 then
  redis.call('HSET', KEYS[1], 'formats', ARGV[5], 'forms', ARGV[10])
end
if market > 0 then
  redis.call('HSET', KEYS[3], 'offset', string.format('%.0f', offset), 'market', string.format('%.0f', market))
end
return {'spoken', tonumber(redis.call('HGET', KEYS[1], 'formats')), nowMs, offset, market}
`,
  { whenFull: 'runs' },
);
