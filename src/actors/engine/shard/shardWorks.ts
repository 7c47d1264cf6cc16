// What works in a running shard, and how it hangs together: accounts in memory, intake, decisions, commits, market,
// history. When each of them works is the shard's matter (runningShard.ts).

import type { CommitDraft } from '../commit/commitDraft.ts';
import { Commits, Committer } from '../commit/commits.ts';
import { readMailboxes } from '../commit/mailbox.ts';
import { HistorySpans } from '../commit/spans.ts';
import { readRemembered } from '../decisions/answers.ts';
import { Decisions } from '../decisions/decisions.ts';
import { JournalBounds } from '../decisions/journalBounds.ts';
import { HistoryWriter } from '../journal/historyWriter.ts';
import { JournalSize } from '../journal/journalTrimmer.ts';
import { AccountKeeper } from '../memory/accountKeeper.ts';
import { AccountsInMemory } from '../memory/accountsInMemory.ts';
import { NotLoadedIndex, notLoaded, ResidentLoader } from '../memory/residentLoader.ts';
import { KeptSnapshots } from '../ownership/keptSnapshots.ts';
import type { Lease } from '../ownership/lease.ts';
import { beginPossiblePoison, OWNERS_DIED_MAX } from '../ownership/openShard.ts';
import { LoadNotes, ShardLoad } from '../turns/shardLoad.ts';
import { momentOf } from '../turns/workSchedule.ts';
import { TransferDelivery, WhatIfDelivery } from './deliveries.ts';
import { Intake } from './intake.ts';
import { MarketFollower } from './marketFollower.ts';
import { OperatorWishes } from './operatorWishes.ts';
import { PossiblePoison } from './possiblePoison.ts';
import type { OpenedShard } from './recoveringShard.ts';
import { ShardCommands } from './shardCommands.ts';
import type { ShardParts } from './shardParts.ts';

/** What the shard is told by what works in it. */
export interface ShardEvents {
  /** The ownership has to end: a commit was refused, MongoDB knows a later epoch, or a newer build has to read something. */
  readonly onEnd: (error: Error) => void;
  /** There is something to do in the next turn. */
  readonly onWork: () => void;
  readonly onAllLoaded: () => void;
  /** @param stillWaiting accounts with commands that the commit has not consumed */
  readonly onCommitted: (draft: CommitDraft, stillWaiting: readonly string[]) => void;
}

export class ShardWorks {
  readonly accounts: AccountsInMemory;
  readonly commits: Commits;
  readonly decisions: Decisions;
  readonly intake: Intake;
  readonly shardCommands: ShardCommands;
  readonly market: MarketFollower;
  readonly loader: ResidentLoader;
  readonly keeper: AccountKeeper;
  readonly history: HistoryWriter;
  readonly historySpans: HistorySpans;
  readonly wishes: OperatorWishes;
  readonly notLoaded: NotLoadedIndex;
  readonly load: ShardLoad;
  readonly transfers: TransferDelivery;
  readonly mirrors: WhatIfDelivery;
  readonly journalSize = new JournalSize();
  readonly #parts: ShardParts;
  readonly #lease: Lease;
  readonly #opened: OpenedShard;
  readonly #events: ShardEvents;

  constructor(parts: ShardParts, lease: Lease, opened: OpenedShard, events: ShardEvents) {
    this.#parts = parts;
    this.#lease = lease;
    this.#opened = opened;
    this.#events = events;
    for (const [upTo, bytes] of opened.recovered.journalBytes) this.journalSize.add(upTo, bytes);
    this.notLoaded = new NotLoadedIndex({ ...parts, ...lease });
    this.load = new ShardLoad(new LoadNotes({ ...parts, lease, journalBytes: () => this.journalSize.bytes }));
    this.accounts = this.#makeAccounts();
    this.commits = this.#makeCommits();
    const committed = () => this.accounts.residents.committed;
    this.transfers = new TransferDelivery({ ...parts, underWay: this.accounts.transfers, committed });
    this.mirrors = new WhatIfDelivery({ ...parts, waiting: this.accounts.mirrors, committed });
    this.decisions = this.#makeDecisions();
    this.intake = this.#makeIntake();
    this.shardCommands = this.#makeShardCommands();
    this.market = this.#makeMarket();
    this.loader = this.#makeLoader();
    this.keeper = this.#makeKeeper();
    this.historySpans = new HistorySpans(parts.tracing, lease.shard);
    this.history = this.#makeHistory();
    this.wishes = this.#makeWishes();
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
    const { redis, commitCalls, config, log, metrics, formats, realNow } = this.#parts;
    const { shard } = this.#lease;
    const { ids, commitNumber, recovered } = this.#opened;
    return new Commits({
      committer: new Committer({ calls: commitCalls, redis, lease: this.#lease, leaseTtlMs: config.LEASE_TTL_MS, log }),
      ...{ shard, ids, metrics, formats, realNow, onRefused: this.#events.onEnd },
      last: { number: commitNumber, tick: recovered.tick },
      tick: () => this.market.tick,
      onCommitted: this.#events.onCommitted,
    });
  }

  #makeDecisions(): Decisions {
    const { rules, feed, config, metrics, tracing, now, realNow, log } = this.#parts;
    const { ids, possiblePoison, expired, versionsOwner } = this.#opened;
    const condemned = new Set([...possiblePoison].filter(([, ownersDied]) => ownersDied >= OWNERS_DIED_MAX).map(([id]) => id));
    return new Decisions({
      ...{ rules, ids, condemned, expired, metrics, tracing, now, realNow, log, accounts: this.accounts },
      isAway: (accountId) => this.loader.isAway(accountId),
      ...{ micros: this.#parts.turns.micros, onCharged: this.load.charge },
      shard: this.#lease.shard,
      versionsOwner,
      market: feed.market,
      idempotencyTtlMs: config.IDEMPOTENCY_TTL_MS,
      addressLimit: config.ADDRESS_LIMIT === 'yes',
      bounds: new JournalBounds({
        accountBytesMax: config.JOURNAL_ACCOUNT_MAX_BYTES,
        shardBytesMax: config.JOURNAL_MAX_BYTES,
        shardBytes: () => this.journalSize.bytes,
        onRefused: metrics.onJournalFull,
      }),
    });
  }

  #makePossiblePoison(): PossiblePoison {
    const { redis, log } = this.#parts;
    return new PossiblePoison({
      ...{ log, shard: this.#lease.shard, possiblePoison: this.#opened.possiblePoison, ownersDiedMax: OWNERS_DIED_MAX },
      begin: (command) => beginPossiblePoison(redis, this.#lease, command),
      run: (accountId, command, storedText) => this.decisions.commands.run(accountId, command, this.commits.draft, storedText),
      onRun: this.#events.onWork,
    });
  }

  #makeIntake(): Intake {
    const { redis, log } = this.#parts;
    const { shard } = this.#lease;
    return new Intake({
      ...{ log, shard, waiting: this.#opened.waiting, possiblePoison: this.#makePossiblePoison() },
      readMailboxes: (accountIds) => readMailboxes(redis, shard, accountIds),
      readRemembered: (mailboxes) => readRemembered(redis, shard, mailboxes),
      hasRoom: () => !this.commits.draft.isFull,
      draftNumber: () => this.commits.draft.number,
      ...{ micros: this.#parts.turns.micros, onCharged: this.load.charge },
      isCommitting: (accountId) => this.commits.hasConsumed(accountId),
      isHere: (accountId) => this.accounts.isHere(accountId),
      isAway: (accountId) => this.loader.isAway(accountId),
      load: (accountId) => this.loader.want(accountId),
      run: (accountId, command, storedText) => this.decisions.commands.run(accountId, command, this.commits.draft, storedText),
      onEmpty: (accountId) => this.commits.draft.consume(accountId),
      onShardMailbox: () => this.shardCommands.want(),
      onRead: this.#events.onWork,
      onRetry: this.#events.onWork,
      onNewer: this.#events.onEnd,
    });
  }

  #makeShardCommands(): ShardCommands {
    const { redis, log, now, tracing } = this.#parts;
    return new ShardCommands({
      ...{ redis, log, now, tracing, shard: this.#lease.shard },
      accountIds: () => this.accounts.residents.ids,
      apply: (accountId, command, draft) => this.decisions.scheduled.runShardCommand(accountId, command, draft),
      onWork: this.#events.onWork,
      onNewer: this.#events.onEnd,
    });
  }

  #makeMarket(): MarketFollower {
    const { redis, log, feed } = this.#parts;
    return new MarketFollower({
      ...{ redis, log, feed, reactions: this.decisions.reactions, commits: this.commits, from: this.#opened.recovered.tick },
      hasOrders: () => this.accounts.index.size > 0,
      isLeased: () => this.#lease.term.isRunning,
      onWork: this.#events.onWork,
      onNewer: this.#events.onEnd,
    });
  }

  #makeLoader(): ResidentLoader {
    const { recovered, waiting } = this.#opened;
    return new ResidentLoader({
      log: this.#parts.log,
      recovered,
      isHere: (accountId) => this.accounts.isHere(accountId),
      onLoaded: (account) => this.accounts.admit(account, recovered.tailOf(account.id), this.commits.draft),
      onBroken: (accountId, reason) => this.#haltNotLoaded(accountId, reason),
      onNewer: this.#events.onEnd,
      onBatch: (accountIds) => {
        for (const accountId of accountIds) waiting.add(accountId);
        this.#events.onWork();
      },
      onAllLoaded: this.#events.onAllLoaded,
    });
  }

  #haltNotLoaded(accountId: string, reason: string): void {
    this.decisions.recorder.halt(accountId, reason, this.commits.draft);
    this.notLoaded.note(accountId, reason);
  }

  #makeKeeper(): AccountKeeper {
    const { redis, formats, log, turns, config } = this.#parts;
    const { shard, token } = this.#lease;
    return new AccountKeeper({
      share: momentOf(shard, config.SHARDS),
      ...{ formats, shard, log, residents: this.accounts.residents, onEnd: this.#events.onEnd },
      kept: new KeptSnapshots({ redis, shard, token }),
      nextTurn: turns.background,
    });
  }

  #makeWishes(): OperatorWishes {
    const { redis, log } = this.#parts;
    const { recovered, waiting } = this.#opened;
    const { shard, token } = this.#lease;
    return new OperatorWishes({
      ...{ redis, shard, token, log, reload: recovered.reload },
      isHalted: (accountId) => this.accounts.quarantined.has(accountId),
      isChanging: (accountId) => this.commits.isChanging(accountId),
      halt: (accountId, reason) => this.accounts.halt(accountId, reason, this.commits.draft),
      onLifted: (account) => {
        this.accounts.readmit(account, recovered.tailOf(account.id), this.commits.draft);
        this.notLoaded.note(account.id, undefined);
        waiting.add(account.id);
        log.info({ shard, account: account.id, seq: account.seq }, 'a halted account is back');
        this.#events.onWork();
      },
      onFailed: (accountId) => this.#haltNotLoaded(accountId, notLoaded(recovered.broken.get(accountId))),
    });
  }

  #makeHistory(): HistoryWriter {
    const { redis, mongo, formats, log, archive, config, realNow, metrics, turns } = this.#parts;
    const { shard, token, term } = this.#lease;
    return new HistoryWriter({
      ...{ redis, mongo, formats, shard, token, log, archive, config, realNow, nextTurn: turns.background },
      mayWrite: term.requireRunning,
      snapshotOf: (accountId) => this.accounts.residents.snapshotOf(accountId),
      keep: (snapshots) => this.keeper.keep(snapshots),
      isHalted: (accountId) => this.accounts.quarantined.has(accountId),
      onHouse: (house) => metrics.onHouse(shard, house),
      onEnd: this.#events.onEnd,
      onWritten: (commit, begunMs) => this.historySpans.onWritten(commit, begunMs),
      onTrimmed: (commit) => {
        this.#opened.recovered.forget(commit);
        this.journalSize.cut(commit);
        this.accounts.residents.onTrimmed(commit, this.commits.draft);
      },
    });
  }
}
