// One shard in the hands of this pod, from the lease to its end: recover, answer what waits, load the rest, then loop.
// Commands come by bell or sweep, run against memory, and become true and visible in one commit. Starting after a crash
// and starting for the first time are one path; whatever goes wrong ends the ownership, and the next one starts over.
import type { BookChange, ContextChange, TradesChange } from '../market/domain/feed.ts';
import type { Config } from '../shared/config.ts';
import { NewerFormat } from '../shared/domain/formats.ts';
import { ShardIds } from '../shared/domain/ids.ts';
import { LeaseLost } from '../shared/errors.ts';
import type { Logger } from '../shared/logger.ts';
import type { MongoConnection } from '../shared/mongo/mongo.ts';
import { SHARD_MAILBOX, shardKeys } from '../shared/redis/keys.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { within } from '../shared/waitAtMost.ts';
import type { ActorMetrics } from './commit/actorMetrics.ts';
import { CommitDraft } from './commit/commitDraft.ts';
import { Committer } from './commit/committer.ts';
import { Decisions } from './commit/decisions.ts';
import { DueTimes } from './commit/dueTimes.ts';
import { readBell, readMailboxes, type WaitingCommand } from './commit/mailbox.ts';
import type { Rules } from './commit/rules.ts';
import { ShardCommands } from './commit/shardCommands.ts';
import type { BellListener, Bells } from './commit/wakeups.ts';
import type { ShardStatus } from './domain/messages/podStatus.ts';
import { HistoryWriter } from './history/historyWriter.ts';
import type { MarketFeed } from './marketWatch/marketFeed.ts';
import { OrderIndex } from './marketWatch/orderIndex.ts';
import { RiskIndex } from './marketWatch/riskIndex.ts';
import { TickReader } from './marketWatch/tickReader.ts';
import { TriggerIndex } from './marketWatch/triggerIndex.ts';
import { type Lease, releaseLease } from './ownership/lease.ts';
import { openShard } from './ownership/poisonCommands.ts';
import { type RecoveredShard, recoverShard } from './ownership/recovery.ts';
import { isLoadFailure, Loader } from './residents/residentLoader.ts';
import { Residents } from './residents/residents.ts';

/** Sweep of the pending set, tick position, idle accounts: once so often, ms. */
const SWEEP_EVERY_MS = 1000;
/** Accounts whose mailboxes are read in one pipeline. */
const READ_ACCOUNTS_MAX = 256;
/** Pause after a failed read or recovery, ms. */
const RETRY_MS = 250;
/** Longest that a release waits for the commit in flight, ms. */
const RELEASE_WITHIN_MS = 4000;

export interface ShardParts {
  readonly config: Config;
  readonly log: Logger;
  readonly redis: Redis;
  readonly bells: Bells;
  readonly mongo: MongoConnection;
  readonly feed: MarketFeed;
  readonly rules: Rules;
  readonly metrics: ActorMetrics;
  readonly now: () => number;
  /** The ownership has ended by itself; the lease may still be there to release. `newer`: a newer build has to go on. */
  readonly onEnded: (shard: Shard, reason: string, newer?: NewerFormat) => void;
}

export class Shard implements BellListener {
  readonly lease: Lease;
  readonly #parts: ShardParts;
  readonly #committer: Committer;
  readonly #index = new OrderIndex();
  readonly #triggers = new TriggerIndex();
  readonly #risk = new RiskIndex();
  readonly #due = new DueTimes();
  readonly #quarantined = new Map<string, string>();
  /** Accounts that an earlier owner could not load. */
  readonly #triedAgain = new Set<string>();
  /** Accounts with waiting commands that can be looked at now. */
  readonly #ready = new Set<string>();
  /** Accounts that became pending while their commands were being read or committed. */
  readonly #again = new Set<string>();
  /** Commands that a bell brought along: the heads of their streams. */
  readonly #rung = new Map<string, WaitingCommand>();
  readonly #toRead = new Set<string>();
  #reading: ReadonlySet<string> = new Set();
  #residents = new Residents(new Set(), 0);
  #decisions: Decisions | undefined;
  #shardCommands: ShardCommands | undefined;
  #loader: Loader | undefined;
  #ticks: TickReader | undefined;
  #history: HistoryWriter | undefined;
  #ids: ShardIds;
  #draft = new CommitDraft(0);
  #inFlight: CommitDraft | undefined;
  #committedTick = '0-0';
  #workPlanned = false;
  #ended = false;
  #sweepTimer: NodeJS.Timeout | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #idle: (() => void) | undefined;

  constructor(parts: ShardParts, lease: Lease) {
    this.#parts = parts;
    this.lease = lease;
    this.#committer = new Committer({ redis: parts.redis, lease, leaseTtlMs: parts.config.LEASE_TTL_MS, log: parts.log });
    this.#ids = new ShardIds({ shard: lease.shard, shards: parts.config.SHARDS, counter: lease.idCounter });
  }

  get shard(): number {
    return this.lease.shard;
  }

  get status(): ShardStatus {
    return {
      shard: this.shard,
      token: this.lease.token,
      recovered: this.#decisions !== undefined && !this.#ended,
      loaded: this.#ticks?.isLive === true && !this.#ended,
      accounts: this.#residents.size,
      halted: this.#quarantined.size,
    };
  }

  get historyStatus(): { lagMs: number; mongoDown: boolean } {
    return this.#history?.status ?? { lagMs: 0, mongoDown: false };
  }

  /** Recovers and goes to work; resolves when commands are being answered or the ownership has ended. */
  async start(): Promise<void> {
    const { log } = this.#parts;
    while (!this.#ended) {
      try {
        await this.#open();
        return;
      } catch (error) {
        if (error instanceof LeaseLost || error instanceof NewerFormat) return this.#end(error);
        log.warn({ shard: this.shard, err: error }, 'shard cannot be recovered yet, trying again');
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Ends the ownership without another write: somebody else has the lease. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#committer.end();
    clearInterval(this.#sweepTimer);
    clearTimeout(this.#dueTimer);
    this.#loader?.stop();
    this.#parts.metrics.onHouse(this.shard, undefined);
    this.#ticks?.stop();
    this.#idle?.();
    const { bells, log } = this.#parts;
    const leftOver = [bells.unlisten(shardKeys.bell(this.shard), this), this.#history?.stop()];
    Promise.all(leftOver).catch((error: unknown) => log.warn({ shard: this.shard, err: error }, 'shard did not end in order'));
  }

  /** Finishes the commit in flight and gives the shard back. What was decided after it is decided again by the next owner. */
  async release(): Promise<void> {
    const { redis, log } = this.#parts;
    const inFlight = this.#inFlight;
    if (inFlight !== undefined && !this.#ended) {
      this.#draft = new CommitDraft(inFlight.number + 1);
      this.#decisions = undefined;
      await within(RELEASE_WITHIN_MS, new Promise<void>((resolve) => (this.#idle = resolve)));
    }
    this.abandon();
    await releaseLease(redis, this.lease);
    log.info({ shard: this.shard }, 'shard released');
  }

  onBell(message: string): void {
    try {
      for (const { accountId, command } of readBell(message)) {
        if (accountId !== SHARD_MAILBOX) this.#rung.set(accountId, command);
        this.#ready.add(accountId);
      }
      this.#planWork();
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      this.#end(error);
    }
  }

  onDeaf(): void {
    this.#rung.clear();
    this.#sweep();
  }

  /** A market change, already in the view. Until the shard has caught up, trades wait and books and marks are of no use. */
  onMarket(change: BookChange | TradesChange | ContextChange): void {
    if (this.#decisions === undefined || this.#ended || this.#ticks === undefined) return;
    if (change.type === 'trades') this.#ticks.onTrades(change);
    else if (!this.#ticks.isLive) return;
    else if (change.type === 'context') this.#decisions.onMark(change, this.#draft);
    else this.#decisions.runMarket(change, this.#draft);
    this.#planWork();
  }

  /** Until the shard has caught up nobody is asked: trades before a delisting come first. */
  onListings(): void {
    if (!this.#ticks?.isLive || this.#ended) return;
    this.#decisions?.onListings();
    this.#planWork();
  }

  /** The view was loaded whole: trades that did not come as messages are in the stream. */
  onMarketLoaded(): void {
    if (this.#ticks?.isStarted) this.#ticks.catchUp();
  }

  async #open(): Promise<void> {
    const { redis, mongo, log, bells, config, now } = this.#parts;
    const { shard, lease } = this;
    const startedMs = now();
    const recovered = await recoverShard({ redis, mongo, shard, log, token: lease.token });
    await bells.listen(shardKeys.bell(shard), this);
    const [pending, halted] = await Promise.all([
      redis.smembers(shardKeys.pending(shard)),
      redis.hgetall(shardKeys.quarantine(shard)),
    ]);
    const heads = new Map<string, WaitingCommand>();
    for (const [accountId, [head]] of await readMailboxes(redis, shard, accountsOf(pending), { perAccount: 1 })) {
      if (head) heads.set(accountId, head);
    }
    this.#ids = new ShardIds({ shard, shards: config.SHARDS, counter: Math.max(lease.idCounter, recovered.idCounter) });
    const opened = await openShard(redis, lease, {
      commitNumber: Math.max(lease.commitNumber, recovered.commitNumber),
      idCounter: this.#ids.counter,
      heads,
    });
    if (opened.commitNumber < 0) throw new LeaseLost(`shard ${shard} was taken by another pod`);
    if (this.#ended) return;
    for (const [accountId, reason] of Object.entries(halted)) {
      if (isLoadFailure(reason)) this.#triedAgain.add(accountId);
      else this.#quarantined.set(accountId, reason);
    }
    this.#draft = new CommitDraft(opened.commitNumber + 1);
    this.#goToWork(recovered, opened.condemned);
    log.info(
      { shard, epoch: lease.epoch, commit: opened.commitNumber, waiting: pending.length, tookMs: now() - startedMs },
      'shard recovered',
    );
    for (const accountId of pending) this.#ready.add(accountId);
    this.#work();
    for (const accountId of this.#triedAgain) this.#loader?.want(accountId);
    this.#loader?.start();
  }

  #goToWork(recovered: RecoveredShard, condemned: ReadonlySet<string>): void {
    const { config, now, log, redis, mongo, rules, feed } = this.#parts;
    const { shard } = this;
    const residents = new Residents(recovered.liveAccounts, recovered.commitNumber);
    const decisions = new Decisions(
      {
        shard,
        rules,
        market: feed.market,
        ids: this.#ids,
        residents,
        index: this.#index,
        triggers: this.#triggers,
        risk: this.#risk,
        due: this.#due,
        quarantined: this.#quarantined,
        idempotencyTtlMs: config.IDEMPOTENCY_TTL_MS,
        metrics: this.#parts.metrics,
        now,
        log,
      },
      condemned,
    );
    this.#residents = residents;
    this.#decisions = decisions;
    this.#committedTick = recovered.tick;
    this.#shardCommands = new ShardCommands({
      redis,
      log,
      shard,
      now,
      accountIds: () => residents.ids,
      apply: (accountId, command, draft) => decisions.runShardCommand(accountId, command, draft),
      onWork: () => this.#planWork(),
      onNewer: (error) => this.#end(error),
    });
    this.#ticks = new TickReader({
      redis,
      log,
      market: feed.market,
      from: recovered.tick,
      hasOrders: () => this.#index.size > 0,
      hasRoom: () => !this.#draft.isFull,
      onTrades: (change) => {
        decisions.runMarket(change, this.#draft);
        this.#planWork();
      },
      onLive: () => {
        decisions.onListings();
        decisions.onAllMarks(this.#draft);
        this.#planWork();
      },
    });
    this.#loader = new Loader({
      log,
      recovered,
      isHere: (accountId) => this.#isHere(accountId),
      onLoaded: (account) => {
        const resident = residents.admit(account, recovered.tailOf(account.id), now());
        this.#index.add(account);
        this.#triggers.add(account);
        this.#risk.set(account.id, rules.safeDistance(account, feed.market));
        this.#due.set(account.id, rules.nextDueMs(account));
        residents.releaseIfAtRest(resident, this.#draft);
        if (this.#triedAgain.delete(account.id)) this.#draft.endQuarantine(account.id);
      },
      onBroken: (accountId, reason) => decisions.halt(accountId, reason),
      onNewer: (error) => this.#end(error),
      onBatch: (accountIds) => {
        for (const accountId of accountIds) this.#ready.add(accountId);
        this.#planWork();
      },
      onAllLoaded: () => {
        log.info({ shard, accounts: residents.size, orders: this.#index.size }, 'shard loaded');
        this.#ticks?.catchUp();
        this.#history?.start();
      },
    });
    // Begins when all accounts are here: until then MongoDB has snapshots to give.
    this.#history = new HistoryWriter({
      redis,
      mongo,
      shard,
      token: this.lease.token,
      log,
      config,
      now,
      snapshotOf: (accountId) => residents.snapshotOf(accountId),
      onHouse: (house) => this.#parts.metrics.onHouse(shard, house),
      onTrimmed: (commit) => {
        recovered.forget(commit);
        residents.onTrimmed(commit, this.#draft);
      },
      onNewer: (error) => this.#end(error),
    });
    this.#sweepTimer = setInterval(() => this.#sweep(), SWEEP_EVERY_MS);
  }

  #planWork(): void {
    if (this.#workPlanned || this.#ended) return;
    this.#workPlanned = true;
    setImmediate(() => {
      this.#workPlanned = false;
      this.#work();
    });
  }

  /** Runs what can be run now, and sends it. */
  #work(): void {
    const decisions = this.#decisions;
    if (decisions === undefined || this.#ended) return;
    do {
      if (this.#ticks?.isLive) {
        decisions.runListings(this.#draft);
        decisions.runMarks(this.#draft);
      }
      for (const accountId of this.#ready) {
        if (this.#draft.isFull) break;
        this.#ready.delete(accountId);
        this.#serve(accountId, decisions);
      }
      if (this.#ticks?.isLive) {
        decisions.runDue(this.#draft);
        if (this.#shardCommands?.work(this.#draft)) this.#planWork();
      }
      this.#send();
    } while (this.#ready.size > 0 && !this.#draft.isFull);
    this.#readNext();
    this.#armDueTimer();
  }

  #serve(accountId: string, decisions: Decisions): void {
    if (this.#toRead.has(accountId)) return;
    if (this.#isBusy(accountId)) {
      this.#again.add(accountId);
      return;
    }
    if (accountId === SHARD_MAILBOX) {
      this.#shardCommands?.want();
      return;
    }
    if (!this.#isHere(accountId)) {
      this.#loader?.want(accountId);
      return;
    }
    const rung = this.#rung.get(accountId);
    this.#rung.delete(accountId);
    if (rung?.envelope === undefined || rung.envelope.idempotency !== undefined) this.#toRead.add(accountId);
    else decisions.runCommand(accountId, rung, this.#draft);
  }

  #isHere(accountId: string): boolean {
    return this.#residents.has(accountId) || this.#quarantined.has(accountId);
  }

  /** True while commands of the account are being read, or have been consumed by a commit that is not answered. */
  #isBusy(accountId: string): boolean {
    return this.#draft.hasConsumed(accountId) || this.#inFlight?.hasConsumed(accountId) === true || this.#reading.has(accountId);
  }

  #readNext(): void {
    if (this.#reading.size > 0 || this.#toRead.size === 0 || this.#draft.isFull) return;
    const accountIds = [...this.#toRead].slice(0, READ_ACCOUNTS_MAX);
    this.#reading = new Set(accountIds);
    for (const accountId of accountIds) this.#toRead.delete(accountId);
    this.#read(accountIds).catch((error: unknown) => {
      if (error instanceof NewerFormat) return this.#end(error);
      this.#parts.log.warn({ shard: this.shard, err: error }, 'mailboxes cannot be read, trying again');
      setTimeout(() => {
        this.#reading = new Set();
        for (const accountId of accountIds) this.#ready.add(accountId);
        this.#planWork();
      }, RETRY_MS);
    });
  }

  async #read(accountIds: readonly string[]): Promise<void> {
    const { redis } = this.#parts;
    const waiting = await readMailboxes(redis, this.shard, accountIds);
    const remembered = await this.#readRemembered(waiting);
    const decisions = this.#decisions;
    if (decisions === undefined || this.#ended) return;
    this.#reading = new Set();
    for (const [accountId, commands] of waiting) {
      this.#rung.delete(accountId);
      if (!this.#isHere(accountId)) {
        this.#loader?.want(accountId);
        continue;
      }
      if (commands.length === 0) this.#draft.consume(accountId);
      for (const command of commands) decisions.runCommand(accountId, command, this.#draft, remembered.get(command.id));
    }
    this.#work();
  }

  /** What is remembered for the Idempotency-Keys among the commands, by the command's stream id. */
  async #readRemembered(waiting: ReadonlyMap<string, readonly WaitingCommand[]>): Promise<Map<string, string | null>> {
    const { redis } = this.#parts;
    const asked: Promise<[string, string | null]>[] = [];
    for (const [accountId, commands] of waiting) {
      for (const { id, envelope } of commands) {
        if (envelope?.idempotency === undefined) continue;
        const key = shardKeys.idempotency(this.shard, accountId, envelope.idempotency.key);
        asked.push(redis.get(key).then((value) => [id, value]));
      }
    }
    return new Map(await Promise.all(asked));
  }

  #send(): void {
    if (this.#inFlight !== undefined || this.#draft.isEmpty || this.#ended) return;
    const draft = this.#draft;
    const tick = this.#ticks?.position ?? this.#committedTick;
    this.#inFlight = draft;
    this.#draft = new CommitDraft(draft.number + 1);
    const { metrics, now } = this.#parts;
    this.#committer.commit(draft, { idCounter: this.#ids.counter, tick, timeMs: now() }).then(
      (stillWaiting) => {
        this.#committedTick = tick;
        metrics.onCommit(draft.commands);
        this.#onCommitted(draft, stillWaiting);
      },
      (error: Error) => this.#end(error),
    );
  }

  #onCommitted(draft: CommitDraft, stillWaiting: readonly string[]): void {
    this.#inFlight = undefined;
    this.#idle?.();
    if (this.#ended) return;
    this.#residents.onCommitted(draft.number);
    for (const accountId of draft.consumedAccounts) {
      if (this.#again.delete(accountId)) this.#ready.add(accountId);
    }
    for (const accountId of stillWaiting) this.#ready.add(accountId);
    this.#work();
  }

  #sweep(): void {
    if (this.#decisions === undefined || this.#ended) return;
    const { redis, config, now, log } = this.#parts;
    if (this.#ticks !== undefined && this.#ticks.position !== this.#committedTick) this.#draft.touch();
    for (const resident of this.#residents.idleSince(now() - config.ACCOUNT_IDLE_MS)) {
      const { account } = resident;
      if (this.#isBusy(account.id) || this.#draft.changed.has(account.id) || this.#inFlight?.changed.has(account.id)) continue;
      this.#index.remove(account);
      this.#triggers.remove(account);
      this.#risk.remove(account.id);
      this.#due.set(account.id, undefined);
      this.#residents.drop(account.id);
    }
    redis.smembers(shardKeys.pending(this.shard)).then(
      (pending) => {
        for (const accountId of pending) if (!this.#isBusy(accountId)) this.#ready.add(accountId);
        this.#work();
      },
      (error: unknown) => log.warn({ shard: this.shard, err: error }, 'pending set cannot be swept'),
    );
  }

  #armDueTimer(): void {
    clearTimeout(this.#dueTimer);
    const { nextMs } = this.#due;
    if (nextMs === undefined || !this.#ticks?.isLive) return;
    this.#dueTimer = setTimeout(() => this.#work(), Math.max(0, Math.min(nextMs - this.#parts.now(), 60_000)));
  }

  #end(error: Error): void {
    if (this.#ended) return;
    this.abandon();
    this.#parts.onEnded(this, error.message, error instanceof NewerFormat ? error : undefined);
  }
}

/** Commands of jobs are no client's: an owner that dies with one at the head has not died of it. */
function accountsOf(pending: readonly string[]): string[] {
  return pending.filter((accountId) => accountId !== SHARD_MAILBOX);
}
