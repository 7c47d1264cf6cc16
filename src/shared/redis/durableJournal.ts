// A reader of a shard's journal beside its owner: it needs no token and changes nothing. It gives commits in their order, and only those
// that Redis can no longer lose: what it gives is on the disk, and replicas have it. Its user hands over the commits of `read` and then says
// `done`; whatever dies in between, they are given again.
import { shardKeys } from './keys.ts';
import type { Redis } from './redis.ts';
import { REDIS_LIFE_LUA, Script } from './script.ts';

/** Text of commits that one call reads: Redis serves nobody else meanwhile. */
const PAGE_CHARS = 128 * 1024;
/** Commits are read in such steps until a page has its text. */
const STEP_COMMITS = 8;
/** Text of commits that wait for the disk, or for their user. More of it stays in the journal. */
const WAITING_CHARS_MAX = 2 * 1024 * 1024;
/** With `everysec`, Redis begins to sync within a second and its next cron; with a margin, ms. */
export const SYNC_BEGINS_WITHIN_MS = 1200;

/** A commit as the journal holds it. */
export interface CommitText {
  readonly number: number;
  /** JSON of its entries. */
  readonly text: string;
}

/** What Redis says of itself at a call. */
export interface ServerState {
  /** By its own clock. */
  readonly timeMs: number;
  /** Whether the append-only file is being synced at this moment; undefined = no such file, or not told. */
  readonly isSyncing: boolean | undefined;
  /** The last write and the last sync of the file have succeeded. */
  readonly isWritten: boolean;
  /** End of the stream to replicas, and how much of it each has got. */
  readonly offset: number;
  readonly replicas: readonly number[];
}

/** What was read at one call. */
export interface ReadPage {
  readonly commits: readonly CommitText[];
  readonly chars: number;
  readonly read: Pick<ServerState, 'timeMs' | 'offset'>;
  /** When no sync was under way for the first time since: what was read is in the file by then, and the next sync takes it along. */
  quietMs: number | undefined;
}

export interface Durability {
  /** Redis syncs before it answers. */
  readonly isAlways: boolean;
  /** Where Redis does not tell, or a replica stands still, commits are given when they were read so long ago, ms: as to MongoDB. */
  readonly delayMs: number;
}

/**
 * Redis syncs in the background. A page that was read at or before a moment without a sync is in the file at the end of that moment, and a
 * sync that takes it along begins within a second. So when later than that no sync is under way, it is over.
 */
export function isOnDisk(page: ReadPage, now: ServerState, { isAlways, delayMs }: Durability): boolean {
  if (now.timeMs - page.read.timeMs >= delayMs) return true;
  if (!now.replicas.every((offset) => offset >= page.read.offset)) return false;
  if (isAlways) return true;
  if (now.isSyncing !== false || !now.isWritten || page.quietMs === undefined) return false;
  return now.timeMs - page.quietMs >= SYNC_BEGINS_WITHIN_MS;
}

export class DurableJournal {
  readonly #redis: Redis;
  readonly #shard: number;
  readonly #durability: Durability;
  #pages: ReadPage[] = [];
  /** Commits up to this one are done. */
  #position: number;
  /** Commits up to this one are in `#pages` or done. */
  #readTo = 0;
  /** Commits up to this one are on the disk for certain, also when they are read again. */
  #givenTo: number;
  /** Life of Redis in which the pages were read. */
  #life = '';

  /** @param position commits up to this one are on the disk and done; 0 = the reader begins where the journal does */
  constructor(parts: { redis: Redis; shard: number; durability: Durability }, position: number) {
    this.#redis = parts.redis;
    this.#shard = parts.shard;
    this.#durability = parts.durability;
    this.#position = position;
    this.#givenTo = position;
  }

  get position(): number {
    return this.#position;
  }

  /** The next commits that are on the disk: those of the last time, and those after them, until they are `done`. */
  async read(): Promise<readonly CommitText[]> {
    let answer = await this.#begin();
    while (!answer.reachesEnd && this.#waitingChars < WAITING_CHARS_MAX) answer = await this.#readPage(this.#readTo);
    const given: CommitText[] = [];
    for (const page of this.#pages) {
      const last = page.commits.at(-1)?.number ?? 0;
      if (last > this.#givenTo && !isOnDisk(page, answer.state, this.#durability)) break;
      this.#givenTo = Math.max(this.#givenTo, last);
      given.push(...page.commits);
    }
    return given;
  }

  /** Commits up to this one, the last of a `read`, are handed over. */
  done(commit: number): void {
    this.#pages = this.#pages.filter((page) => (page.commits.at(-1)?.number ?? 0) > commit);
    this.#position = commit;
  }

  /** The commits after this one are read again, as far as the journal has them. */
  rewind(commit: number): void {
    this.#pages = [];
    this.#position = commit;
    this.#readTo = commit;
  }

  get #waitingChars(): number {
    return this.#pages.reduce((sum, { chars }) => sum + chars, 0);
  }

  /** Nothing is read while as much as may waits. What was read in another life of Redis and is not done is read again: it may be lost. */
  async #begin(): Promise<StretchAnswer> {
    const isFull = this.#waitingChars >= WAITING_CHARS_MAX;
    const answer = await readStretch(this.#redis, this.#shard, Number.MAX_SAFE_INTEGER);
    const { life, head, state } = answer;
    if (life !== this.#life || head < this.#position) {
      this.#life = life;
      // A journal that is shorter than what is done has lost what was on the disk: it is read from its beginning, and all of it may be new.
      this.rewind(head < this.#position ? 0 : this.#position);
      this.#givenTo = Math.min(this.#givenTo, this.#position);
    }
    this.#note(state);
    return isFull ? answer : this.#readPage(this.#readTo);
  }

  async #readPage(after: number): Promise<StretchAnswer> {
    const answer = await readStretch(this.#redis, this.#shard, after);
    const { state, commits, life } = answer;
    this.#note(state);
    if (commits.length === 0 || life !== this.#life) return { ...answer, reachesEnd: true };
    const chars = commits.reduce((sum, { text }) => sum + text.length, 0);
    this.#pages.push({ commits, chars, read: state, quietMs: state.isSyncing === false ? state.timeMs : undefined });
    this.#readTo = commits.at(-1)?.number ?? after;
    return answer;
  }

  #note({ isSyncing, timeMs }: ServerState): void {
    if (isSyncing === false) for (const page of this.#pages) page.quietMs ??= timeMs;
  }
}

interface StretchAnswer {
  readonly state: ServerState;
  readonly life: string;
  /** Number of the shard's last commit, with or without entries. */
  readonly head: number;
  readonly commits: readonly CommitText[];
  readonly reachesEnd: boolean;
}

async function readStretch(redis: Redis, shard: number, after: number): Promise<StretchAnswer> {
  const keys = [shardKeys.journal(shard), shardKeys.head(shard)];
  const answer = (await readStretchScript.run(redis, keys, [`(${after}-0`, PAGE_CHARS])) as readonly unknown[];
  const [entries, isAll, head, time, life, persistence, replication] = answer as readonly [
    readonly (readonly [string, readonly string[]])[],
    number,
    string,
    string,
    string,
    string,
    string,
  ];
  const commits = entries.map(([id, fields]) => ({ number: Number.parseInt(id, 10), text: textOf(fields) }));
  return { state: stateOf(Number(time), persistence, replication), life, head: Number(head), commits, reachesEnd: isAll === 1 };
}

const textOf = (fields: readonly string[]): string => fields[fields.indexOf('e') + 1] ?? '[]';

/** @param persistence @param replication sections of INFO; '' = Redis does not tell */
export function stateOf(timeMs: number, persistence: string, replication: string): ServerState {
  const told = (text: string, name: string): string | undefined => new RegExp(`^${name}:([^\r\n]*)`, 'm').exec(text)?.[1];
  const hasFile = told(persistence, 'aof_enabled') === '1';
  const replicas = [...replication.matchAll(/^slave\d+:.*state=online,offset=(\d+)/gm)].map(([, offset]) => Number(offset));
  return {
    timeMs,
    isSyncing: hasFile ? told(persistence, 'aof_pending_bio_fsync') !== '0' : undefined,
    isWritten: told(persistence, 'aof_last_write_status') === 'ok',
    offset: Number(told(replication, 'master_repl_offset') ?? 0),
    replicas,
  };
}

const readStretchScript = new Script(
  'readStretch',
  `
-- Reads a stretch of the journal, and what Redis says of its disk and its replicas.
-- KEYS  journal, head.
-- ARGV  id after which the stretch begins, as XRANGE takes it; text of a page: the commit that reaches it is the last.
-- Answers {entries, 1 when the journal has no more (0 = it has), number of the last commit, time in ms, life of Redis,
--     INFO persistence, INFO replication ('' = not told)}.
-- Atomic because what is read is in the file, or in the buffer of this very moment, when the file is looked at.
${REDIS_LIFE_LUA}
local function info(section)
  local text = redis.pcall('INFO', section)
  return type(text) == 'string' and text or ''
end
local entries, chars, from, isAll = {}, 0, ARGV[1], 0
while chars < tonumber(ARGV[2]) and isAll == 0 do
  local some = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', ${STEP_COMMITS})
  for i = 1, #some do
    entries[#entries + 1] = some[i]
    chars = chars + #some[i][2][8]
    from = '(' .. some[i][1]
  end
  if #some < ${STEP_COMMITS} then isAll = 1 end
end
local time = redis.call('TIME')
return {entries, isAll, redis.call('HGET', KEYS[2], 'n') or '0', string.format('%.0f', time[1] * 1000 + time[2] / 1000),
  redisLife(), info('persistence'), info('replication')}
`,
);
