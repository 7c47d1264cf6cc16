// The commits of one shard, one after the other. Decisions go into the open draft; the draft is sent when the commit
// before it has been answered. A refused commit ends the ownership: all decisions on top of it are void.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { ShardIds } from '../../../shared/domain/shards.ts';
import { LateCommit, LeaseLost, RedisLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { isReplyError } from '../../../shared/redis/script.ts';
import { Retrying } from '../../../shared/retrying.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { Lease } from '../ownership/lease.ts';
import { renewLeases } from '../ownership/renewals.ts';
import type { CommitCalls } from './commitCalls.ts';
import { CommitDraft } from './commitDraft.ts';
import type { CommitAnswer } from './commitScript.ts';

/** Longest that a release waits for the commit in flight, ms. */
const FINISH_WITHIN_MS = 4000;

/** The shard, as its commits see it. */
interface CommitsContext {
  readonly pod: {
    readonly commitCalls: CommitCalls;
    readonly redis: Redis;
    readonly config: { readonly LEASE_TTL_MS: number };
    readonly log: Logger;
    readonly metrics: ActorMetrics;
    readonly formats: FormatSource;
    /** Real time, ms since the epoch. */
    readonly realNow: () => number;
  };
  readonly lease: Lease;
  readonly opened: {
    readonly ids: ShardIds;
    /** The newest commit that is true: its number, and the tick position that it noted. */
    readonly commitNumber: number;
    readonly recovered: { readonly tick: string };
  };
  /** Every trade up to this position has been applied. */
  readonly market: { readonly tick: string };
  readonly events: {
    /** @param stillWaiting accounts of the draft whose streams hold more commands */
    readonly onCommitted: (draft: CommitDraft, stillWaiting: readonly string[]) => void;
    /** A commit was refused. */
    readonly onEnd: (error: Error) => void;
  };
}

export class Commits {
  readonly #shard: CommitsContext;
  readonly #committer: Committer;
  #draft: CommitDraft;
  #inFlight: CommitDraft | undefined;
  #committedTick: string;
  #isEnded = false;
  /** Called when the commit in flight is answered, or will never be. */
  #onDone: () => void = () => undefined;

  constructor(shard: CommitsContext) {
    const { pod, lease, opened } = shard;
    const { commitCalls: calls, redis, config, log } = pod;
    this.#shard = shard;
    this.#committer = new Committer({ calls, redis, lease, leaseTtlMs: config.LEASE_TTL_MS, log });
    this.#draft = this.#newDraft(opened.commitNumber + 1);
    this.#committedTick = opened.recovered.tick;
  }

  /** The open draft, which takes current decisions. */
  get draft(): CommitDraft {
    return this.#draft;
  }

  /** True while something is decided that is not true yet. */
  get isUnderWay(): boolean {
    return this.#inFlight !== undefined || !this.#draft.isEmpty;
  }

  /** True while commands of the account are consumed by a commit that is not answered. */
  hasConsumed(accountId: string): boolean {
    return this.#draft.hasConsumed(accountId) || this.#inFlight?.hasConsumed(accountId) === true;
  }

  /** True while the account's state depends on a commit that is not answered. */
  isChanging(accountId: string): boolean {
    return this.#draft.changed.has(accountId) || this.#inFlight?.changed.has(accountId) === true;
  }

  /** Lets the tick position be committed even when nothing else is. */
  noteTick(): void {
    if (this.#shard.market.tick !== this.#committedTick) this.#draft.touch();
  }

  /** Sends the open draft, unless it is empty or another is in flight. */
  send(): void {
    if (this.#inFlight !== undefined || this.#draft.isEmpty || this.#isEnded) return;
    const { pod, lease, opened, market, events } = this.#shard;
    const draft = this.#draft;
    const { tick } = market;
    this.#inFlight = draft;
    this.#draft = this.#newDraft(draft.number + 1);
    draft.spans?.onSent(lease.shard, draft.number);
    this.#committer.commit(draft, { idCounter: opened.ids.counter, tick, timeMs: pod.realNow() }).then(
      (stillWaiting) => this.#onCommitted(draft, tick, stillWaiting),
      (error: Error) => {
        draft.spans?.onRefused(error.name);
        events.onEnd(error);
      },
    );
  }

  /** Throws the open draft away and waits for the commit in flight, but not for ever. */
  async finish(): Promise<void> {
    if (this.#inFlight === undefined || this.#isEnded) return;
    this.#draft = this.#newDraft(this.#inFlight.number + 1);
    await waitAtMost(FINISH_WITHIN_MS, new Promise<void>((resolve) => (this.#onDone = resolve)));
  }

  /** All that one commit writes is of one generation. */
  #newDraft(number: number): CommitDraft {
    return new CommitDraft(number, this.#shard.pod.formats.current);
  }

  /** Sends nothing from now on. */
  end(): void {
    this.#isEnded = true;
    this.#committer.end();
    this.#onDone();
  }

  #onCommitted(draft: CommitDraft, tick: string, stillWaiting: readonly string[]): void {
    this.#committedTick = tick;
    this.#inFlight = undefined;
    this.#shard.pod.metrics.onCommit(draft);
    draft.spans?.onCommitted();
    this.#onDone();
    if (!this.#isEnded) this.#shard.events.onCommitted(draft, stillWaiting);
  }
}

/** Redis is there but cannot write now: the same commit is sent again with the same number. */
const PASSING = /^(OOM|LOADING|READONLY|MASTERDOWN|BUSY|TRYAGAIN|CLUSTERDOWN|NOREPLICAS|MISCONF|UNBLOCKED)/;
const PAUSES = { firstMs: 20, mostMs: 1000 };

interface CommitterParts {
  /** Of all shards of the pod. */
  readonly calls: CommitCalls;
  readonly redis: Redis;
  readonly lease: Lease;
  readonly leaseTtlMs: number;
  readonly log: Logger;
}

/**
 * Brings a shard's drafts into Redis, one at a time and each with its number, so that a commit that was sent twice counts
 * once. Any answer but "applied" and "already applied" ends the ownership: all decisions on top of the commit are void.
 */
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
    const part = draft.seal({ shard, token, epoch, ...state, isPrepared: calls.isPrepared });
    let retrying: Retrying | undefined;
    while (!this.#ended) {
      const answer = await calls.send(shard, part).catch(toAnswer);
      const [kind, ...more] = answer;
      if (kind === 'applied' || kind === 'already') return more;
      const [said = ''] = more;
      if (kind === 'unknown' || (kind === 'error' && PASSING.test(said))) {
        log.warn({ shard, commit: draft.number, reason: said }, 'commit not answered, sending it again');
        retrying ??= new Retrying('commit', PAUSES);
        await sleep(retrying.nextMs());
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
