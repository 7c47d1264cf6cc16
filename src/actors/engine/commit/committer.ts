// Brings a shard's drafts into Redis, one at a time and each with its number, so that a commit that was sent twice
// counts once. Any answer but "applied" and "already applied" ends the ownership: all decisions on top of the commit
// are void.
import { LateCommit, LeaseLost, RedisLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { isReplyError } from '../../../shared/redis/script.ts';
import type { Lease } from '../ownership/lease.ts';
import { renewLeases } from '../ownership/renewals.ts';
import type { CommitCalls } from './commitCalls.ts';
import type { CommitDraft } from './commitDraft.ts';
import type { CommitAnswer } from './commitPart.ts';

/** Redis is there but cannot write now: the same commit is sent again with the same number. */
const PASSING = /^(OOM|LOADING|READONLY|MASTERDOWN|BUSY|TRYAGAIN|CLUSTERDOWN|NOREPLICAS|MISCONF|UNBLOCKED)/;
const RETRY_MS_MIN = 20;
const RETRY_MS_MAX = 1000;

export interface CommitterParts {
  /** Of all shards of the pod. */
  readonly calls: CommitCalls;
  readonly redis: Redis;
  readonly lease: Lease;
  readonly leaseTtlMs: number;
  readonly log: Logger;
}

export class Committer {
  readonly #parts: CommitterParts;
  #ended = false;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /** Sends nothing from now on, not even again. */
  end(): void {
    this.#ended = true;
  }

  /**
   * Sends the draft until Redis has answered.
   * @returns accounts whose streams still hold commands
   * @throws {LateCommit} when the draft is void because a command in it has expired meanwhile
   * @throws {LeaseLost} when the draft is void and the shard has to be taken and recovered again
   */
  async commit(draft: CommitDraft, state: { idCounter: number; tick: string; timeMs: number }): Promise<string[]> {
    const { calls, lease, log } = this.#parts;
    const { shard, token, epoch } = lease;
    const part = draft.seal({ shard, token, epoch, ...state, isHeld: calls.isHeld });
    for (let retryMs = RETRY_MS_MIN; !this.#ended; retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)) {
      const answer = await calls.send(shard, part).catch(toAnswer);
      const [kind, ...more] = answer;
      if (kind === 'applied' || kind === 'already') return more;
      const [said = ''] = more;
      if (kind === 'unknown' || (kind === 'error' && PASSING.test(said))) {
        log.warn({ shard, commit: draft.number, reason: said }, 'commit not answered, sending it again');
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        continue;
      }
      if (kind === 'late') {
        throw new LateCommit(`commit ${draft.number} of shard ${shard} came too late`, draft.lateAt(Number(said)));
      }
      // A shard that has ended may have been given back meanwhile: its lease is not to be taken up again.
      if (kind === 'unleased' && !this.#ended && (await this.#isRenewed())) continue;
      if (kind === 'gap') throw await this.#lossBefore(draft);
      throw new LeaseLost(`commit ${draft.number} of shard ${shard} was not applied: ${kind} ${said}`);
    }
    throw new LeaseLost(`shard ${shard} was given up`);
  }

  /** All commits before the draft had been answered. */
  async #lossBefore({ number }: CommitDraft): Promise<RedisLost> {
    const { redis, lease, log } = this.#parts;
    const { shard } = lease;
    const has = Number((await redis.hget(shardKeys.head(shard), 'n')) ?? 0);
    log.error({ shard, answered: number - 1, has, lost: number - 1 - has }, 'Redis has lost commits that it had answered');
    return new RedisLost(`commit ${number} of shard ${shard} was not applied: Redis has ${has} commits`);
  }

  async #isRenewed(): Promise<boolean> {
    const { redis, lease, leaseTtlMs } = this.#parts;
    const [renewal] = await renewLeases(redis, [lease], leaseTtlMs);
    return renewal !== 'lost';
  }
}

/** What a call that failed says of each draft in it. */
const toAnswer = (error: unknown): CommitAnswer | readonly ['unknown', reason: string] =>
  isReplyError(error) ? ['error', error.message] : ['unknown', String(error)];
