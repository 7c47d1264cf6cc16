// Commits that replicas have before anything of them is seen (REDIS_MIN_REPLICAS). A commit is written down first, where only the next
// owner looks; when so many replicas have that, the commit script makes it true: journal, remembered answers, versions and replies.
// So whatever anybody can read was confirmed, and a replica that has confirmed has it, or has what the next owner completes
// it from (recoveringShard.ts).

import { Command } from 'ioredis';
import type { Config } from '../../../shared/config/config.ts';
import { redisAddress } from '../../../shared/config/redisAddress.ts';
import { readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { REDIS_LIFE_LUA, Script, type ScriptCall } from '../../../shared/redis/script.ts';
import { type CommitAnswer, type CommitPart, commitCall, commitPreparedScript, type Preparation } from './commitScript.ts';

/** Replicas that do not answer within this time are asked again, ms. The connection serves no other call meanwhile. */
const CONFIRMED_WITHIN_MS = 500;

type PrepareAnswer = 'prepared' | 'already' | 'gap' | 'fenced' | 'unleased';

export class PreparedCommits {
  readonly #redis: Redis;
  readonly #replicas: number;
  /** Shards whose newest commit fewer replicas have, since when, by `performance.now()`. */
  readonly #unconfirmed = new Map<number, number>();

  /** @param redis a connection on which nothing waits but commits */
  constructor(redis: Redis, replicas: number) {
    this.#redis = redis;
    this.#replicas = replicas;
  }

  /** For how long a shard has waited for replicas, ms; undefined = it does not. */
  unconfirmedMs(shard: number): number | undefined {
    const sinceAt = this.#unconfirmed.get(shard);
    return sinceAt === undefined ? undefined : performance.now() - sinceAt;
  }

  /** The shard begins anew: it has no commit on its way. */
  forget(shard: number): void {
    this.#unconfirmed.delete(shard);
  }

  /**
   * @param parts all with a `preparation`
   * @returns of each what the commit script answers, or an error that passes while too few replicas have it
   * @throws as `Script.run`
   */
  async commit(parts: readonly CommitPart[]): Promise<readonly CommitAnswer[]> {
    const prepared = await this.#prepare(parts);
    const ready = parts.filter((_, i) => prepared[i] === 'prepared' || prepared[i] === 'already');
    if (ready.length === 0) return prepared.map(refused);
    const { keys, args } = commitCall(ready);
    const committed = (await commitPreparedScript.run(this.#redis, keys, args)) as CommitAnswer[];
    const answers = new Map(ready.map((part, i) => [part, committed[i] as CommitAnswer]));
    return parts.map((part, i) => answers.get(part) ?? refused(prepared[i] as PrepareAnswer));
  }

  /** What was applied before was confirmed then. */
  async #prepare(parts: readonly CommitPart[]): Promise<readonly (PrepareAnswer | 'unconfirmed')[]> {
    const { keys, args } = prepareCall(parts);
    let call: ScriptCall | undefined;
    const answers = (await prepareScript.run(this.#redis, keys, args, (sent) => (call = sent))) as PrepareAnswer[];
    if (this.#replicas === 0 || call === undefined || !answers.includes('prepared')) return answers;
    const [after, replicas] = [call, this.#replicas];
    const isConfirmed = await haveReplicas(this.#redis, { after, replicas, withinMs: CONFIRMED_WITHIN_MS });
    return answers.map((answer, i) => {
      if (answer === 'prepared') this.#note(parts[i] as CommitPart, isConfirmed);
      return answer === 'prepared' && !isConfirmed ? 'unconfirmed' : answer;
    });
  }

  #note({ preparation }: CommitPart, isConfirmed: boolean): void {
    if (preparation === undefined) return;
    if (isConfirmed) this.#unconfirmed.delete(preparation.shard);
    else if (!this.#unconfirmed.has(preparation.shard)) this.#unconfirmed.set(preparation.shard, performance.now());
  }
}

/** As Redis words it when it may not write without its replicas. */
const UNCONFIRMED = 'NOREPLICAS Fewer replicas than REDIS_MIN_REPLICAS have the commit';

const refused = (answer: PrepareAnswer | 'unconfirmed'): CommitAnswer => {
  if (answer === 'gap' || answer === 'fenced' || answer === 'unleased') return [answer];
  return ['error', UNCONFIRMED];
};

function prepareCall(parts: readonly CommitPart[]): { keys: string[]; args: (string | number)[] } {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const part of parts) {
    const { preparation } = part;
    if (preparation === undefined) throw new Error('A commit without a preparation is not prepared.');
    const { shard, changed } = preparation;
    const [token = '', number = 0] = part.args;
    keys.push(shardKeys.lease(shard), shardKeys.head(shard), shardKeys.prepared(shard), shardKeys.versions(shard));
    args.push(token, number, writePrepared(part, preparation), changed.length, ...changed);
  }
  return { keys, args };
}

/** Keys and arguments of `commitPreparedScript` for one part. */
export type Prepared = Pick<CommitPart, 'keys' | 'args'>;

const UPCASTERS: Upcasters = {};

export const writePrepared = ({ keys, args }: Prepared, { format }: Pick<Preparation, 'format'>): string =>
  writeForm({ keys, args }, format);

/** @throws {NewerFormat} when a newer build has prepared it */
export const readPrepared = (text: string): Prepared => readForm('prepared commit', JSON.parse(text), UPCASTERS);

const prepareScript = new Script(
  'prepare',
  `
-- Writes down the next commit of shards, which only the next owner reads. One that was prepared before goes.
-- KEYS  per part: lease, head, prepared commit, versions.
-- ARGV  per part: token, commit number, the commit's text, number of accounts that it changes and that have versions, these.
-- Answers one element per part: 'prepared' | 'already' this number was applied before
--   | 'gap' numbers are missing | 'fenced' another owner has the shard | 'unleased' the lease ran out, no pod has it.
-- Atomic because only the owner may say what comes next. A number that the head has reached and that is prepared is not applied
-- yet: the take of its next owner has raised the head to what MongoDB knows. From here on no view of the accounts is true: what is
-- asked waits for the commit. Prepared again, it keeps the life of Redis in which it was first: in that one it may have been answered.
${REDIS_LIFE_LUA}
local life
local answers, k, a = {}, 1, 1
while k <= #KEYS do
  local lease, head, prepared, versions = KEYS[k], KEYS[k + 1], KEYS[k + 2], KEYS[k + 3]
  local token, number, text, changed = ARGV[a], tonumber(ARGV[a + 1]), ARGV[a + 2], tonumber(ARGV[a + 3])
  local owner, stored = redis.call('GET', lease), tonumber(redis.call('HGET', head, 'n') or '0')
  local isAgain = redis.call('HGET', prepared, 'n') == ARGV[a + 1]
  local answer = 'prepared'
  if not owner then answer = 'unleased'
  elseif owner ~= token then answer = 'fenced'
  elseif number > stored + 1 then answer = 'gap'
  elseif number <= stored and not isAgain then answer = 'already' end
  if answer == 'prepared' then
    if not isAgain then
      life = life or redisLife()
      redis.call('HSET', prepared, 'life', life)
    end
    redis.call('HSET', prepared, 'n', ARGV[a + 1], 'part', text)
    for i = a + 4, a + 3 + changed do redis.call('HDEL', versions, ARGV[i]) end
  end
  answers[#answers + 1] = answer
  k, a = k + 4, a + 4 + changed
end
return answers
`,
  { whenFull: 'runs' },
);

class WaitCall extends Command {
  readonly #after: ScriptCall;
  carrier: object | undefined;

  constructor(after: ScriptCall, { replicas, withinMs }: { replicas: number; withinMs: number }) {
    super('wait', [replicas, withinMs]);
    this.#after = after;
  }

  /** On a cluster it goes to the node of the call's keys. */
  override getSlot(): number {
    return this.#after.getSlot();
  }

  override toWritable(socket: object): string | Buffer {
    this.carrier = socket;
    return super.toWritable(socket);
  }
}

/**
 * Whether replicas have what a script call has written. WAIT speaks of what was written on the connection that it comes on: it
 * has to follow the call there. What it says on another one, after a break or by another master, says nothing of the call.
 * @param options.after a call that was answered
 * @returns false when fewer replicas have said so in time, or the connection has changed since the call
 * @throws ReplyError, or the connection's error
 */
export async function haveReplicas(
  redis: Redis,
  options: { after: ScriptCall; replicas: number; withinMs: number },
): Promise<boolean> {
  const { after, replicas } = options;
  const wait = new WaitCall(after, options);
  const confirmed = Number(await redis.sendCommand(wait));
  return confirmed >= replicas && wait.carrier !== undefined && wait.carrier === after.carrier;
}

/** Of an answer to CLUSTER SLOTS: first slot, last slot, the master, then its replicas that live. */
type SlotRange = readonly [first: number, last: number, ...nodes: unknown[]];

/**
 * Whether Redis has the replicas that REDIS_MIN_REPLICAS asks for: said when a pod starts, because without them no order is
 * answered. Logs when there are too few. A cluster, and a master that Sentinels name, may have them again soon; commits wait
 * for them.
 * @throws Error when Redis is one server without any: the setting is a mistake
 */
export async function checkReplicas(
  redis: Redis,
  { REDIS_MIN_REPLICAS: wanted, REDIS_URL }: Pick<Config, 'REDIS_MIN_REPLICAS' | 'REDIS_URL'>,
  log: Logger,
): Promise<void> {
  if (wanted === 0) return;
  const replicas = await fewestReplicas(redis);
  if (replicas >= wanted) return;
  const { kind } = redisAddress(REDIS_URL);
  if (replicas === 0 && (kind === 'server' || kind === 'socket')) {
    throw new Error(`REDIS_MIN_REPLICAS is ${wanted}, and Redis has no replica: no order would ever be answered.`);
  }
  log.error({ wanted, replicas }, 'Redis has fewer replicas than REDIS_MIN_REPLICAS: no order is answered until they are there');
}

/** Of any master. */
async function fewestReplicas(redis: Redis): Promise<number> {
  if (redis.isCluster) {
    const ranges = (await redis.cluster('SLOTS')) as readonly SlotRange[];
    return Math.min(...ranges.map(({ length }) => length - 3));
  }
  const [, connected = '0'] = /connected_slaves:(\d+)/.exec(await redis.info('replication')) ?? [];
  return Number(connected);
}
