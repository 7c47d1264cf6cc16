// A shard that answers commands. Its accounts come into memory one after the other. Commands, market changes and due
// times run against them and become true and visible in one commit. It works in turns: first all that can be run,
// then all that can be sent.

import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Account } from '../../core/account/account.ts';
import type { ShardStatus } from '../../core/messages/podStatus.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { WakeupListener } from '../commit/mailbox.ts';
import type { HistoryStatus } from '../journal/historyWriter.ts';
import type { Lease } from '../ownership/lease.ts';
import { momentOf, WorkSchedule } from '../turns/workSchedule.ts';
import { noteWork } from './openShard.ts';
import type { OpenedShard, ShardParts } from './recoveringShard.ts';
import { ShardContext } from './shardContext.ts';

/** Halted accounts named in a shard's status, and characters of each reason. */
const HALTED_NAMED_MAX = 20;
const HALTED_REASON_MAX = 300;

export class RunningShard implements WakeupListener {
  readonly #parts: ShardParts;
  readonly #lease: Lease;
  readonly #opened: OpenedShard;
  readonly #context: ShardContext;
  readonly #schedule: WorkSchedule;
  /** While it finishes, nothing is decided any more; the commit in flight is awaited. */
  #phase: 'working' | 'finishing' | 'stopped' = 'working';

  /** @param onEnd the ownership has to end: a commit was refused, MongoDB knows a later epoch, or a newer build has to read something */
  constructor(parts: ShardParts, lease: Lease, opened: OpenedShard, onEnd: (error: Error) => void) {
    this.#parts = parts;
    this.#lease = lease;
    this.#opened = opened;
    this.#schedule = new WorkSchedule({
      now: parts.now,
      turns: parts.turns,
      sweepShare: momentOf(lease.shard, parts.config.SHARDS),
      onWork: () => this.#context.load.turn(() => this.#work()),
      onSweep: () => this.#sweep(),
    });
    this.#context = new ShardContext(parts, lease, opened, {
      onEnd,
      onWork: () => this.#schedule.plan(),
      onAllLoaded: () => this.#onAllLoaded(),
      onCommitted: (draft, stillWaiting) => this.#onCommitted(draft, stillWaiting),
    });
  }

  get status(): Omit<ShardStatus, 'shard' | 'token'> {
    const { accounts, market } = this.#context;
    return {
      recovered: this.#phase === 'working',
      loaded: market.isLive && this.#phase !== 'stopped',
      accounts: accounts.residents.size,
      halted: accounts.quarantined.size,
      ...haltedFor(accounts.quarantined),
    };
  }

  /** Bytes of its journal in Redis. */
  get journalBytes(): number {
    return this.#context.journalSize.bytes;
  }

  get tailBytes(): number {
    return this.#context.accounts.residents.tailBytes;
  }

  /** States of the accounts in memory. */
  get accounts(): readonly Account[] {
    return this.#context.accounts.residents.accounts;
  }

  /** Accounts whose liquidation waits for a mark or a book. */
  get accountsInDanger(): number {
    return this.#context.accounts.countInDanger(this.#parts.now());
  }

  /** The clock was set ahead: what is due now is not waited for. */
  onClock(): void {
    this.#schedule.plan();
  }

  /**
   * When the next thing of an account is due (none: infinity); undefined while something due, a change of the market or a commit is under
   * way, or before all accounts are in memory.
   */
  get nextDueMs(): number | undefined {
    const { accounts, commits, intake, market } = this.#context;
    const isWorking = this.#phase !== 'working' || !this.#lease.term.isRunning || !market.isLive || this.#schedule.isPlanned;
    if (isWorking || commits.isUnderWay || intake.hasWork) return undefined;
    const nextMs = accounts.due.nextMs ?? Number.POSITIVE_INFINITY;
    return nextMs <= this.#parts.now() ? undefined : nextMs;
  }

  /** Redis alone proves the shard. */
  get isProven(): boolean {
    return this.#context.keeper.isProven;
  }

  get historyStatus(): HistoryStatus {
    return this.#context.history.status;
  }

  /** Answers what waits, then loads all that must be in memory. */
  start(): void {
    const { market, loader } = this.#context;
    market.start();
    this.#schedule.plan();
    for (const accountId of this.#opened.notLoaded) loader.want(accountId);
    loader.start();
  }

  /** The lease goes on after its term had ended. */
  onRegained(): void {
    this.#schedule.plan();
  }

  onWakeup(message: string): void {
    this.#opened.waiting.onBell(message);
    this.#schedule.plan();
  }

  onMissedWakeups(): void {
    this.#opened.waiting.forgetHeads();
    this.#sweep();
  }

  /** Decides nothing more and waits for the commit in flight. */
  async finish(): Promise<void> {
    if (this.#phase !== 'working') return;
    this.#phase = 'finishing';
    this.#context.intake.stop();
    this.#context.market.stopListening();
    await this.#context.commits.finish();
  }

  /** Ends without another write to Redis; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    const { commits, intake, loader, keeper, wishes, market, history } = this.#context;
    this.#phase = 'stopped';
    commits.end();
    intake.stop();
    this.#schedule.stop();
    loader.stop();
    keeper.stop();
    wishes.stop();
    market.stop();
    this.#parts.metrics.onHouse(this.#lease.shard, undefined);
    await history.stop();
  }

  /** Runs what can be run now, and sends it. While the lease may have run out everything waits: it may be another pod's. */
  #work(): void {
    const { market, intake, commits, accounts } = this.#context;
    if (this.#phase !== 'working' || !this.#lease.term.isRunning) return;
    const { turns } = this.#parts;
    do {
      market.work();
      intake.serve(() => turns.isOver);
      if (market.isLive) this.#runDue();
      commits.send();
    } while (this.#canServe && !turns.isOver);
    intake.readNext();
    if (this.#canServe) this.#schedule.plan();
    this.#schedule.planAt(market.isLive ? accounts.due.nextMs : undefined);
  }

  get #canServe(): boolean {
    const { intake, commits } = this.#context;
    return intake.hasWork && !commits.draft.isFull;
  }

  /** From here on the market acts, and MongoDB, which had snapshots to give until now, is written to. */
  #onAllLoaded(): void {
    const { accounts, market, keeper, history } = this.#context;
    const { residents, index } = accounts;
    this.#parts.log.info({ shard: this.#lease.shard, accounts: residents.size, orders: index.size }, 'shard loaded');
    market.catchUp();
    keeper.start();
    history.start();
    noteWork(this.#parts.redis, this.#lease).catch((error: unknown) => {
      this.#parts.log.warn({ shard: this.#lease.shard, err: error }, 'the next owner will not know that this one worked');
    });
  }

  #runDue(): void {
    const { decisions, shardCommands, commits } = this.#context;
    decisions.scheduled.runDue(commits.draft);
    if (shardCommands.hasWork && shardCommands.work(commits.draft)) this.#schedule.plan();
  }

  #onCommitted(draft: CommitDraft, stillWaiting: readonly string[]): void {
    const { accounts, journalSize, intake, historySpans, load, deliveries } = this.#context;
    accounts.residents.onCommitted(draft.number);
    journalSize.add(draft.number, draft.journalChars);
    if (draft.spans) historySpans.onCommitted(draft.number, draft.spans.entryTraces);
    intake.onCommitted(draft.consumedAccounts, stillWaiting);
    if (!accounts.transfers.isEmpty || !accounts.whatIfs.isEmpty) deliveries.onCommitted(performance.now());
    load.onCommitted(draft.commands);
    this.#schedule.plan();
  }

  /** Finds commands without a wake-up, and releases accounts that are not needed. */
  #sweep(): void {
    const { commits, market, wishes, intake, accounts, load, deliveries } = this.#context;
    if (this.#phase !== 'working') return;
    const { redis, config, log } = this.#parts;
    const { shard } = this.#lease;
    commits.noteTick();
    load.sweep();
    if (this.#lease.term.isRunning) deliveries.sweep(performance.now());
    if (market.isLive) wishes.look();
    const isInUse = (accountId: string) => intake.isBusy(accountId) || commits.isChanging(accountId);
    accounts.dropIdle({ idleMs: config.ACCOUNT_IDLE_MS, nowAt: performance.now() }, isInUse, commits.draft);
    redis.smembers(shardKeys.pending(shard)).then(
      (pending) => {
        for (const accountId of pending) if (!intake.isBusy(accountId)) this.#opened.waiting.add(accountId);
        this.#schedule.plan();
      },
      (error: unknown) => log.warn({ shard, err: error }, 'pending set cannot be swept'),
    );
  }
}

/** Heartbeats carry it: of many halted accounts it names some. */
function haltedFor(quarantined: ReadonlyMap<string, string>): Pick<ShardStatus, 'haltedFor'> {
  if (quarantined.size === 0) return {};
  const some = [...quarantined].slice(0, HALTED_NAMED_MAX).map(([id, reason]) => [id, reason.slice(0, HALTED_REASON_MAX)]);
  return { haltedFor: Object.fromEntries(some) };
}
