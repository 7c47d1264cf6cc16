// A shard that answers commands. Its accounts come into memory one after the other. Commands, market changes and due
// times run against them and become true and visible in one commit. It works in turns: first all that can be run,
// then all that can be sent.

import { shardKeys } from '../../shared/redis/keys.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import { Commits } from '../commit/commits.ts';
import { Committer } from '../commit/committer.ts';
import { readMailboxes } from '../commit/mailbox.ts';
import { ShardCommands } from '../commit/shardCommands.ts';
import type { WakeupListener } from '../commit/wakeups.ts';
import { Decisions } from '../decisions/decisions.ts';
import { JournalBounds } from '../decisions/journalBounds.ts';
import { readRemembered } from '../decisions/rememberedOutcome.ts';
import type { ShardStatus } from '../domain/messages/podStatus.ts';
import { HistoryWriter } from '../history/historyWriter.ts';
import { JournalSize } from '../history/journalSize.ts';
import type { Lease } from '../ownership/lease.ts';
import { beginPossiblePoison, noteWork, OWNERS_DIED_MAX } from '../poison/openShard.ts';
import { PossiblePoison } from '../poison/possiblePoison.ts';
import { AccountsInMemory } from '../residents/accountsInMemory.ts';
import { notLoaded, ResidentLoader } from '../residents/residentLoader.ts';
import { Intake } from './intake.ts';
import { MarketFollower } from './marketFollower.ts';
import { OperatorWishes } from './operatorWishes.ts';
import type { OpenedShard } from './recoveringShard.ts';
import type { ShardParts } from './shardParts.ts';
import { WorkSchedule } from './workSchedule.ts';

/** Halted accounts named in a shard's status, and characters of each reason. */
const HALTED_NAMED_MAX = 20;
const HALTED_REASON_MAX = 300;

export class RunningShard implements WakeupListener {
  readonly #parts: ShardParts;
  readonly #lease: Lease;
  readonly #opened: OpenedShard;
  readonly #onEnd: (error: Error) => void;
  readonly #accounts: AccountsInMemory;
  readonly #commits: Commits;
  readonly #decisions: Decisions;
  readonly #intake: Intake;
  readonly #shardCommands: ShardCommands;
  readonly #market: MarketFollower;
  readonly #loader: ResidentLoader;
  readonly #history: HistoryWriter;
  readonly #wishes: OperatorWishes;
  readonly #journalSize = new JournalSize();
  readonly #schedule: WorkSchedule;
  /** While it finishes, nothing is decided any more; the commit in flight is awaited. */
  #phase: 'working' | 'finishing' | 'stopped' = 'working';

  /** @param onEnd the ownership has to end: a commit was refused, MongoDB knows a later epoch, or a newer build has to read something */
  constructor(parts: ShardParts, lease: Lease, opened: OpenedShard, onEnd: (error: Error) => void) {
    this.#parts = parts;
    this.#lease = lease;
    this.#opened = opened;
    this.#onEnd = onEnd;
    this.#schedule = new WorkSchedule({
      now: parts.now,
      turns: parts.turns,
      onWork: () => this.#work(),
      onSweep: () => this.#sweep(),
    });
    for (const [upTo, bytes] of opened.recovered.journalBytes) this.#journalSize.add(upTo, bytes);
    this.#accounts = this.#makeAccounts();
    this.#commits = this.#makeCommits();
    this.#decisions = this.#makeDecisions();
    this.#intake = this.#makeIntake();
    this.#shardCommands = this.#makeShardCommands();
    this.#market = this.#makeMarket();
    this.#loader = this.#makeLoader();
    this.#history = this.#makeHistory();
    this.#wishes = this.#makeWishes();
  }

  get status(): Omit<ShardStatus, 'shard' | 'token'> {
    return {
      recovered: this.#phase === 'working',
      loaded: this.#market.isLive && this.#phase !== 'stopped',
      accounts: this.#accounts.residents.size,
      halted: this.#accounts.quarantined.size,
      ...haltedFor(this.#accounts.quarantined),
    };
  }

  /** Bytes of its journal in Redis. */
  get journalBytes(): number {
    return this.#journalSize.bytes;
  }

  get tailBytes(): number {
    return this.#accounts.residents.tailBytes;
  }

  get historyStatus(): { readonly lagMs: number; readonly mongoDown: boolean } {
    return this.#history.status;
  }

  /** Answers what waits, then loads all that must be in memory. */
  start(): void {
    this.#market.start();
    this.#schedule.plan();
    for (const accountId of this.#opened.notLoaded) this.#loader.want(accountId);
    this.#loader.start();
  }

  /** The lease goes on. */
  onRenewed(): void {
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
    this.#intake.stop();
    this.#market.stopListening();
    await this.#commits.finish();
  }

  /** Ends without another write to Redis; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#phase = 'stopped';
    this.#commits.end();
    this.#intake.stop();
    this.#schedule.stop();
    this.#loader.stop();
    this.#wishes.stop();
    this.#market.stop();
    this.#parts.metrics.onHouse(this.#lease.shard, undefined);
    await this.#history.stop();
  }

  /** Runs what can be run now, and sends it. While the lease may have run out everything waits: it may be another pod's. */
  #work(): void {
    if (this.#phase !== 'working' || !this.#lease.term.isRunning) return;
    const { turns } = this.#parts;
    do {
      this.#market.work();
      this.#intake.serve(() => turns.isOver);
      if (this.#market.isLive) this.#runDue();
      this.#commits.send();
    } while (this.#canServe && !turns.isOver);
    this.#intake.readNext();
    if (this.#canServe) this.#schedule.plan();
    this.#schedule.planAt(this.#market.isLive ? this.#accounts.due.nextMs : undefined);
  }

  get #canServe(): boolean {
    return this.#intake.hasWork && !this.#commits.draft.isFull;
  }

  /** From here on the market acts, and MongoDB, which had snapshots to give until now, is written to. */
  #onAllLoaded(): void {
    const { residents, index } = this.#accounts;
    this.#parts.log.info({ shard: this.#lease.shard, accounts: residents.size, orders: index.size }, 'shard loaded');
    this.#market.catchUp();
    this.#history.start();
    noteWork(this.#parts.redis, this.#lease).catch((error: unknown) => {
      this.#parts.log.warn({ shard: this.#lease.shard, err: error }, 'the next owner will not know that this one worked');
    });
  }

  #runDue(): void {
    this.#decisions.scheduled.runDue(this.#commits.draft);
    if (this.#shardCommands.work(this.#commits.draft)) this.#schedule.plan();
  }

  #onCommitted(draft: CommitDraft, stillWaiting: readonly string[]): void {
    this.#accounts.residents.onCommitted(draft.number);
    this.#journalSize.add(draft.number, draft.journalChars);
    this.#intake.onCommitted(draft.consumedAccounts, stillWaiting);
    this.#schedule.plan();
  }

  /** Finds commands without a wake-up, and releases accounts that are not needed. */
  #sweep(): void {
    if (this.#phase !== 'working') return;
    const { redis, config, log } = this.#parts;
    const { shard } = this.#lease;
    this.#commits.noteTick();
    if (this.#market.isLive) this.#wishes.look();
    const isInUse = (accountId: string) => this.#intake.isBusy(accountId) || this.#commits.isChanging(accountId);
    this.#accounts.dropIdle(performance.now() - config.ACCOUNT_IDLE_MS, isInUse);
    redis.smembers(shardKeys.pending(shard)).then(
      (pending) => {
        for (const accountId of pending) if (!this.#intake.isBusy(accountId)) this.#opened.waiting.add(accountId);
        this.#schedule.plan();
      },
      (error: unknown) => log.warn({ shard, err: error }, 'pending set cannot be swept'),
    );
  }

  #makeAccounts(): AccountsInMemory {
    const { rules, feed, formats } = this.#parts;
    const { recovered, quarantined, notLoaded } = this.#opened;
    return new AccountsInMemory({
      ...{ rules, market: feed.market, formats, quarantined, notLoaded },
      live: recovered.liveAccounts,
      committed: recovered.commitNumber,
    });
  }

  #makeCommits(): Commits {
    const { redis, config, log, metrics, formats, realNow } = this.#parts;
    const { ids, commitNumber, recovered } = this.#opened;
    return new Commits({
      committer: new Committer({ redis, lease: this.#lease, leaseTtlMs: config.LEASE_TTL_MS, log }),
      ...{ ids, metrics, formats, realNow, onRefused: this.#onEnd },
      last: { number: commitNumber, tick: recovered.tick },
      tick: () => this.#market.tick,
      onCommitted: (draft, stillWaiting) => this.#onCommitted(draft, stillWaiting),
    });
  }

  #makeDecisions(): Decisions {
    const { rules, feed, config, metrics, now, realNow, log } = this.#parts;
    const { ids, possiblePoison, expired } = this.#opened;
    const condemned = new Set([...possiblePoison].filter(([, ownersDied]) => ownersDied >= OWNERS_DIED_MAX).map(([id]) => id));
    return new Decisions({
      ...{ rules, ids, condemned, expired, metrics, now, realNow, log, accounts: this.#accounts },
      shard: this.#lease.shard,
      market: feed.market,
      idempotencyTtlMs: config.IDEMPOTENCY_TTL_MS,
      bounds: new JournalBounds({
        accountBytesMax: config.JOURNAL_ACCOUNT_MAX_BYTES,
        shardBytesMax: config.JOURNAL_MAX_BYTES,
        shardBytes: () => this.#journalSize.bytes,
        onRefused: metrics.onJournalFull,
      }),
    });
  }

  #makePossiblePoison(): PossiblePoison {
    const { redis, log } = this.#parts;
    return new PossiblePoison({
      ...{ log, shard: this.#lease.shard, possiblePoison: this.#opened.possiblePoison, ownersDiedMax: OWNERS_DIED_MAX },
      begin: (command) => beginPossiblePoison(redis, this.#lease, command),
      run: (accountId, command, storedText) => this.#decisions.commands.run(accountId, command, this.#commits.draft, storedText),
      onRun: () => this.#schedule.plan(),
    });
  }

  #makeIntake(): Intake {
    const { redis, log } = this.#parts;
    const { shard } = this.#lease;
    return new Intake({
      ...{ log, shard, waiting: this.#opened.waiting, possiblePoison: this.#makePossiblePoison() },
      readMailboxes: (accountIds) => readMailboxes(redis, shard, accountIds),
      readRemembered: (mailboxes) => readRemembered(redis, shard, mailboxes),
      hasRoom: () => !this.#commits.draft.isFull,
      draftNumber: () => this.#commits.draft.number,
      micros: this.#parts.turns.micros,
      isCommitting: (accountId) => this.#commits.hasConsumed(accountId),
      isHere: (accountId) => this.#accounts.isHere(accountId),
      load: (accountId) => this.#loader.want(accountId),
      run: (accountId, command, storedText) => this.#decisions.commands.run(accountId, command, this.#commits.draft, storedText),
      onEmpty: (accountId) => this.#commits.draft.consume(accountId),
      onShardMailbox: () => this.#shardCommands.want(),
      onRead: () => this.#schedule.plan(),
      onRetry: () => this.#schedule.plan(),
      onNewer: this.#onEnd,
    });
  }

  #makeShardCommands(): ShardCommands {
    const { redis, log, now } = this.#parts;
    return new ShardCommands({
      ...{ redis, log, now, shard: this.#lease.shard },
      accountIds: () => this.#accounts.residents.ids,
      apply: (accountId, command, draft) => this.#decisions.scheduled.runShardCommand(accountId, command, draft),
      onWork: () => this.#schedule.plan(),
      onNewer: this.#onEnd,
    });
  }

  #makeMarket(): MarketFollower {
    const { redis, log, feed } = this.#parts;
    return new MarketFollower({
      ...{ redis, log, feed, reactions: this.#decisions.reactions, commits: this.#commits, from: this.#opened.recovered.tick },
      hasOrders: () => this.#accounts.index.size > 0,
      isLeased: () => this.#lease.term.isRunning,
      onWork: () => this.#schedule.plan(),
      onNewer: this.#onEnd,
    });
  }

  #makeLoader(): ResidentLoader {
    const { recovered, waiting } = this.#opened;
    return new ResidentLoader({
      log: this.#parts.log,
      recovered,
      isHere: (accountId) => this.#accounts.isHere(accountId),
      onLoaded: (account) => this.#accounts.admit(account, recovered.tailOf(account.id), this.#commits.draft),
      onBroken: (accountId, reason) => this.#decisions.recorder.halt(accountId, reason),
      onNewer: this.#onEnd,
      onBatch: (accountIds) => {
        for (const accountId of accountIds) waiting.add(accountId);
        this.#schedule.plan();
      },
      onAllLoaded: () => this.#onAllLoaded(),
    });
  }

  #makeWishes(): OperatorWishes {
    const { redis, log } = this.#parts;
    const { recovered, waiting } = this.#opened;
    const { shard } = this.#lease;
    return new OperatorWishes({
      ...{ redis, shard, log, reload: recovered.reload },
      isHalted: (accountId) => this.#accounts.quarantined.has(accountId),
      isChanging: (accountId) => this.#commits.isChanging(accountId),
      onLifted: (account) => {
        this.#accounts.readmit(account, recovered.tailOf(account.id), this.#commits.draft);
        waiting.add(account.id);
        log.info({ shard, account: account.id, seq: account.seq }, 'a halted account is back');
        this.#schedule.plan();
      },
      onFailed: (accountId) => this.#decisions.recorder.halt(accountId, notLoaded(recovered.broken.get(accountId))),
    });
  }

  #makeHistory(): HistoryWriter {
    const { redis, mongo, formats, log, config, realNow, metrics } = this.#parts;
    const { shard, token } = this.#lease;
    return new HistoryWriter({
      ...{ redis, mongo, formats, shard, token, log, config, realNow },
      snapshotOf: (accountId) => this.#accounts.residents.snapshotOf(accountId),
      isHalted: (accountId) => this.#accounts.quarantined.has(accountId),
      onHouse: (house) => metrics.onHouse(shard, house),
      onEnd: this.#onEnd,
      onTrimmed: (commit) => {
        this.#opened.recovered.forget(commit);
        this.#journalSize.cut(commit);
        this.#accounts.residents.onTrimmed(commit, this.#commits.draft);
      },
    });
  }
}

/** Heartbeats carry it: of many halted accounts it names some. */
function haltedFor(quarantined: ReadonlyMap<string, string>): Pick<ShardStatus, 'haltedFor'> {
  if (quarantined.size === 0) return {};
  const some = [...quarantined].slice(0, HALTED_NAMED_MAX).map(([id, reason]) => [id, reason.slice(0, HALTED_REASON_MAX)]);
  return { haltedFor: Object.fromEntries(some) };
}
