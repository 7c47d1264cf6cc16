// Brings a shard's drafts into Redis, one at a time and each with its number, so that a commit that was sent twice
// counts once. Any answer but "applied" and "already applied" ends the ownership: all decisions on top of the commit
// are void.
import { LateCommit, LeaseLost, RedisLost } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { isReplyError } from '../../shared/redis/script.ts';
import { type Lease, renewLease } from '../ownership/lease.ts';
import type { CommitDraft } from './commitDraft.ts';
import { type CommitAnswer, commitScript } from './commitScript.ts';

/** Redis is there but cannot write now: the same commit is sent again with the same number. */
const PASSING = /^(OOM|LOADING|READONLY|MASTERDOWN|BUSY|TRYAGAIN|CLUSTERDOWN|NOREPLICAS|MISCONF|UNBLOCKED)/;
const RETRY_MS_MIN = 20;
const RETRY_MS_MAX = 1000;

export interface CommitterParts {
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
    const { redis, lease, leaseTtlMs, log } = this.#parts;
    const { shard, token, epoch } = lease;
    const { keys, args } = draft.seal({ shard, token, epoch, ...state });
    for (let retryMs = RETRY_MS_MIN; !this.#ended; retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)) {
      const answer = await commitScript.run(redis, keys, args).catch((error: unknown) => {
        if (isReplyError(error) && !PASSING.test(error.message)) {
          throw new LeaseLost(`Redis refused commit ${draft.number} of shard ${shard}`, { cause: error });
        }
        log.warn({ shard, commit: draft.number, err: error }, 'commit not answered, sending it again');
        return undefined;
      });
      if (answer === undefined) {
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        continue;
      }
      const [kind, ...waiting] = answer as [CommitAnswer, ...string[]];
      if (kind === 'applied' || kind === 'already') return waiting;
      if (kind === 'late') {
        const [redisMs] = waiting;
        throw new LateCommit(`commit ${draft.number} of shard ${shard} came too late`, draft.lateAt(Number(redisMs)));
      }
      if (kind === 'unleased' && (await renewLease(redis, lease, leaseTtlMs))) continue;
      const Ended = kind === 'gap' ? RedisLost : LeaseLost;
      throw new Ended(`commit ${draft.number} of shard ${shard} was not applied: ${kind}`);
    }
    throw new LeaseLost(`shard ${shard} was given up`);
  }
}
