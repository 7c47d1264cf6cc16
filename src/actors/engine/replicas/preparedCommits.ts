// Commits that replicas have before anything of them is seen (REDIS_MIN_REPLICAS). A commit is written down first, where only the next
// owner looks; when so many replicas have that, the commit script makes it true: journal, remembered answers, versions and replies.
// So whatever anybody can read was confirmed, and a replica that has confirmed has it, or has what the next owner completes
// it from (completePrepared.ts).

import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { ScriptCall } from '../../../shared/redis/scriptCall.ts';
import { type CommitAnswer, type CommitPart, commitCall } from '../commit/commitPart.ts';
import { commitPreparedScript } from '../commit/commitScript.ts';
import { writePrepared } from './preparedForm.ts';
import { prepareScript } from './prepareScript.ts';
import { haveReplicas } from './waitForReplicas.ts';

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
   * @param parts all `held`
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

  #note({ held }: CommitPart, isConfirmed: boolean): void {
    if (held === undefined) return;
    if (isConfirmed) this.#unconfirmed.delete(held.shard);
    else if (!this.#unconfirmed.has(held.shard)) this.#unconfirmed.set(held.shard, performance.now());
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
    const { held } = part;
    if (held === undefined) throw new Error('A commit that is not held is not prepared.');
    const { shard, changed } = held;
    const [token = '', number = 0] = part.args;
    keys.push(shardKeys.lease(shard), shardKeys.head(shard), shardKeys.prepared(shard), shardKeys.versions(shard));
    args.push(token, number, writePrepared(part, held), changed.length, ...changed);
  }
  return { keys, args };
}
