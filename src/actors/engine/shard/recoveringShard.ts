// A shard between the take of its lease and its first decision, and the parts that a pod gives to a shard in either state.
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../../shared/config/config.ts';
import { type FormatSource, NewerFormat } from '../../../shared/domain/formats.ts';
import { ShardIds } from '../../../shared/domain/shards.ts';
import { LeaseLost, RetryableError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import { SHARD_MAILBOX, shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { Tracing } from '../../../shared/tracing/tracing.ts';
import { readQuarantineRecord } from '../../core/messages/quarantineRecord.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitCalls } from '../commit/commitCalls.ts';
import { readMailboxes, WaitingAccounts, type WakeupListener, type Wakeups } from '../commit/mailbox.ts';
import { type Prepared, readPrepared } from '../commit/preparedCommits.ts';
import type { ArchiveParts } from '../journal/archiver.ts';
import { Journal } from '../journal/journal.ts';
import { isLoadFailure } from '../memory/residentLoader.ts';
import type { Lease } from '../ownership/lease.ts';
import { type RecoveredShard, recoverShard } from '../ownership/recovery.ts';
import type { PodTurns } from '../turns/workSchedule.ts';
import type { MarketFeed } from './marketFeed.ts';
import { type OpenedHeads, openShard } from './openShard.ts';

export interface ShardParts {
  readonly config: Config;
  readonly log: Logger;
  readonly redis: Redis;
  readonly commitCalls: CommitCalls;
  readonly wakeups: Wakeups;
  readonly mongo: MongoConnection;
  readonly formats: FormatSource;
  readonly feed: MarketFeed;
  readonly rules: Rules;
  readonly metrics: ActorMetrics;
  readonly archive: ArchiveParts;
  readonly tracing: Tracing;
  /** Exchange time, ms since the epoch. */
  readonly now: () => number;
  /** Real time, ms since the epoch: deadlines of commands, ages of journal entries. */
  readonly realNow: () => number;
  readonly turns: PodTurns;
}

// A shard between the take of its lease and its first decision. It loads what recovery found, subscribes to wake-ups,
// and records the commands at the heads of the mailboxes. The first start and the one after a crash are the same.

/** Pause after a failed recovery, ms. */
const RETRYING = new Retrying('recovery', { firstMs: 250 });
/** Lives of a lease: in the first an earlier owner may believe in its own still, in the second its last write comes to its end. */
const FORMER_WRITES_LIVES = 2;

/** All that a shard needs in order to run. */
export interface OpenedShard extends OpenedHeads {
  readonly recovered: RecoveredShard;
  readonly ids: ShardIds;
  /** Ids of commands that came too late under this lease. */
  readonly expired: ReadonlySet<string>;
  /** Account id -> reason, of accounts in quarantine. */
  readonly quarantined: ReadonlyMap<string, string>;
  /** Accounts that an earlier owner could not load. */
  readonly notLoaded: ReadonlySet<string>;
  /** Accounts of the pending set, and those in wake-ups since. */
  readonly waiting: WaitingAccounts;
}

/** What a shard has that ran before, under the same lease. */
interface Former {
  /** Ids of commands that came too late. */
  readonly expired: ReadonlySet<string>;
  /** Stream id -> owners that have died of it, as it was found at the take. */
  readonly possiblePoison: ReadonlyMap<string, number>;
  /** Redis alone proves the shard since. */
  readonly isProven: boolean;
}

export class RecoveringShard implements WakeupListener {
  readonly tailBytes = 0;
  readonly journalBytes = 0;
  readonly accountsInDanger = 0;
  readonly status = { recovered: false, loaded: false, accounts: 0, halted: 0 };
  readonly historyStatus = { lagMs: 0, archiveLagMs: 0, mongoDown: false };
  readonly #parts: ShardParts;
  readonly #lease: Lease;
  readonly #listen: () => Promise<void>;
  readonly #waiting = new WaitingAccounts();
  readonly #former: Former | undefined;
  #isStopped = false;

  /**
   * @param listen subscribes to the shard's wake-ups; it may be called again
   * @param former of the shard when it ran before, under the same lease; undefined = it has just been taken
   */
  constructor(parts: ShardParts, lease: Lease, listen: () => Promise<void>, former?: Former) {
    this.#parts = parts;
    this.#lease = lease;
    this.#listen = listen;
    this.#former = former;
  }

  /**
   * Tries until the shard is open.
   * @returns undefined when it was stopped meanwhile
   * @throws {LeaseLost} when the shard has another owner by now
   * @throws {NewerFormat} when a newer build has to read it
   */
  async recover(): Promise<OpenedShard | undefined> {
    const { log } = this.#parts;
    while (!this.#isStopped) {
      try {
        return await this.#open();
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof NewerFormat) throw error;
        log.warn({ shard: this.#lease.shard, err: error }, 'shard cannot be recovered yet, trying again');
        await pause(RETRYING.nextMs());
      }
    }
    return undefined;
  }

  onWakeup(message: string): void {
    this.#waiting.onBell(message);
  }

  onMissedWakeups(): void {
    this.#waiting.forgetHeads();
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return Promise.resolve();
  }

  async #open(): Promise<OpenedShard | undefined> {
    const { redis, mongo, formats, rules, log, config, commitCalls } = this.#parts;
    const { shard, token, term, epoch, ...lease } = this.#lease;
    const isProven = this.#former?.isProven || lease.isProven;
    const startedAt = performance.now();
    await completePrepared({ redis, calls: commitCalls, lease: this.#lease, formats, log });
    const formerWritesEnd = (): Promise<void> => pause(FORMER_WRITES_LIVES * config.LEASE_TTL_MS);
    const recovered = await recoverShard({
      ...{ redis, mongo, formats, rules, shard, log, token, term, formerWritesEnd, isProven },
    });
    if (recovered.lost !== undefined) this.#parts.metrics.onRedisLost();
    if (this.#isStopped) return undefined;
    await this.#listen();
    const [pending, halted] = await Promise.all([
      redis.smembers(shardKeys.pending(shard)),
      redis.hgetall(shardKeys.quarantine(shard)),
    ]);
    const ids = new ShardIds({ shard, shards: config.SHARDS, counter: Math.max(lease.idCounter, recovered.idCounter) });
    const opened = await openShard(redis, this.#lease, {
      commitNumber: Math.max(lease.commitNumber, recovered.commitNumber),
      idCounter: ids.counter,
      heads: await this.#readHeads(pending),
      found: this.#former?.possiblePoison,
    });
    if (opened.commitNumber < 0) throw new LeaseLost(`shard ${shard} was taken by another pod`);
    for (const accountId of pending) this.#waiting.add(accountId);
    if (this.#isStopped) return undefined;
    const tookMs = Math.round(performance.now() - startedAt);
    log.info({ shard, epoch, commit: opened.commitNumber, waiting: pending.length, tookMs }, 'shard recovered');
    const reasons = Object.entries(halted).map(([accountId, text]) => [accountId, readQuarantineRecord(text).reason] as const);
    const quarantined = new Map(reasons.filter(([, reason]) => !isLoadFailure(reason)));
    const notLoaded = new Set(Object.keys(halted).filter((accountId) => !quarantined.has(accountId)));
    return {
      ...opened,
      ...{ recovered, ids, quarantined, notLoaded },
      expired: this.#former?.expired ?? new Set(),
      waiting: this.#waiting,
    };
  }

  /** Commands of jobs are no client's: an owner that dies with one at the head has not died of it. */
  async #readHeads(pending: readonly string[]): Promise<Map<string, { id: string }>> {
    const accountIds = pending.filter((accountId) => accountId !== SHARD_MAILBOX);
    const heads = new Map<string, { id: string }>();
    for (let left = accountIds; left.length > 0; ) {
      const mailboxes = await readMailboxes(this.#parts.redis, this.#lease.shard, left, { perAccount: 1 });
      for (const [accountId, [head]] of mailboxes) if (head) heads.set(accountId, { id: head.id });
      left = left.slice(mailboxes.size);
    }
    return heads;
  }
}

/**
 * Completes the commit that an owner had prepared and, as this Redis has it, not made true. It may have been answered: a
 * replica that has taken over had perhaps what was prepared, and not the commit. So it comes before anything that the shard's
 * next owner reads.
 * @throws {LeaseLost} when the shard has another owner by now
 * @throws {RetryableError} when it is not known what became of it, or too few replicas have it
 * @throws {NewerFormat} when a newer build has prepared it
 */
export async function completePrepared(deps: {
  redis: Redis;
  calls: CommitCalls;
  lease: Lease;
  formats: FormatSource;
  log: Logger;
}): Promise<void> {
  const { redis, calls, lease, formats, log } = deps;
  const { shard, token } = lease;
  const [number, text] = await redis.hmget(shardKeys.prepared(shard), 'n', 'part');
  if (!number || !text) return;
  const { end } = await new Journal({ redis, shard, token }).read(Number(number), 1);
  // A build that prepares nothing has had the shard since.
  if (end >= Number(number)) return;
  const preparation = { shard, format: formats.current, changed: [] };
  const part = { ...takenOver(readPrepared(text), lease), commands: 0, chars: text.length, preparation };
  const [kind, said = ''] = await calls.send(shard, part);
  if (kind === 'fenced') throw new LeaseLost(`Shard ${shard} has another owner.`);
  if (kind === 'unleased' || kind === 'error') throw new RetryableError(`What shard ${shard} has prepared: ${kind} ${said}`);
  log.warn({ shard, commit: Number(number), became: kind }, 'a commit that its owner had prepared is dealt with');
}

/** Under the new owner's lease. Whether it may come too late the script knows: not where it may have been answered in another life of Redis. */
function takenOver({ keys, args }: Prepared, { token, epoch, idCounter }: Lease): Prepared {
  const [, number = 0, , ids = 0, ...rest] = args;
  return { keys, args: [token, number, epoch, Math.max(Number(ids), idCounter), ...rest] };
}
