// One owned shard as its parts see it: connections and configuration of the pod, the lease, what recovery found, and the other parts. A
// part is given the context and asks it for another part when it needs that, so no part waits for another to be made. When each of
// them works is the shard's matter (runningShard.ts).

import type { CommitDraft } from '../commit/commitDraft.ts';
import { Commits } from '../commit/commits.ts';
import { HistorySpans } from '../commit/spans.ts';
import { Decisions } from '../decisions/decisions.ts';
import { JournalBounds, JournalSize } from '../decisions/journalBounds.ts';
import { HistoryWriter } from '../journal/historyWriter.ts';
import { AccountKeeper } from '../memory/accountKeeper.ts';
import { AccountsInMemory } from '../memory/accountsInMemory.ts';
import { NotLoadedIndex } from '../memory/notLoadedIndex.ts';
import { ResidentLoader } from '../memory/residentLoader.ts';
import type { Lease } from '../ownership/lease.ts';
import { RedisSnapshots } from '../ownership/redisSnapshots.ts';
import { LoadNotes, ShardLoad } from '../turns/shardLoad.ts';
import { momentOf } from '../turns/workSchedule.ts';
import { Deliveries } from './deliveries.ts';
import { Intake } from './intake.ts';
import { MarketFollower } from './marketFollower.ts';
import { OWNERS_DIED_MAX, PossiblePoison } from './openShard.ts';
import { OperatorWishes } from './operatorWishes.ts';
import type { OpenedShard, ShardParts } from './recoveringShard.ts';
import { ShardCommands } from './shardCommands.ts';

/** What the shard is told by its parts. */
export interface ShardEvents {
  /** The ownership has to end: a commit was refused, MongoDB knows a later epoch, or a newer build has to read something. */
  readonly onEnd: (error: Error) => void;
  /** There is something to do in the next turn. */
  readonly onWork: () => void;
  readonly onAllLoaded: () => void;
  /** @param stillWaiting accounts with commands that the commit has not consumed */
  readonly onCommitted: (draft: CommitDraft, stillWaiting: readonly string[]) => void;
}

export class ShardContext {
  readonly pod: ShardParts;
  readonly lease: Lease;
  readonly opened: OpenedShard;
  readonly events: ShardEvents;
  readonly journalSize: JournalSize;
  readonly notLoadedIndex: NotLoadedIndex;
  readonly load: ShardLoad;
  readonly accounts: AccountsInMemory;
  readonly commits: Commits;
  readonly deliveries: Deliveries;
  readonly decisions: Decisions;
  readonly possiblePoison: PossiblePoison | undefined;
  readonly intake: Intake;
  readonly shardCommands: ShardCommands;
  readonly market: MarketFollower;
  readonly loader: ResidentLoader;
  readonly keeper: AccountKeeper;
  readonly historySpans: HistorySpans;
  readonly history: HistoryWriter;
  readonly wishes: OperatorWishes;

  constructor(pod: ShardParts, lease: Lease, opened: OpenedShard, events: ShardEvents) {
    this.pod = pod;
    this.lease = lease;
    this.opened = opened;
    this.events = events;
    this.journalSize = new JournalSize(opened.recovered.journalBytes);
    this.notLoadedIndex = new NotLoadedIndex(this);
    this.load = new ShardLoad(new LoadNotes(this));
    this.accounts = accountsOf(this);
    this.commits = new Commits(this);
    this.deliveries = new Deliveries(this);
    this.decisions = decisionsOf(this);
    this.possiblePoison = opened.possiblePoison.size > 0 ? new PossiblePoison(this) : undefined;
    this.intake = new Intake(this);
    this.shardCommands = new ShardCommands(this);
    this.market = new MarketFollower(this);
    this.loader = new ResidentLoader(this);
    this.keeper = keeperOf(this);
    this.historySpans = new HistorySpans(pod.tracing, lease.shard);
    this.history = historyOf(this);
    this.wishes = new OperatorWishes(this);
  }
}

function accountsOf({ pod: { rules, feed, formats }, opened }: ShardContext): AccountsInMemory {
  const { recovered, quarantined, notLoaded, versionsOwner } = opened;
  const { liveAccounts: live, commitNumber: committed } = recovered;
  return new AccountsInMemory({
    ...{ rules, market: feed.market, formats, quarantined, notLoaded, live, committed, versionsOwner },
  });
}

function decisionsOf(shard: ShardContext): Decisions {
  const { pod, opened, accounts, load, journalSize } = shard;
  const { rules, feed, config, metrics, tracing, now, realNow, log, turns } = pod;
  const { ids, possiblePoison, expired } = opened;
  const condemned = new Set([...possiblePoison].filter(([, ownersDied]) => ownersDied >= OWNERS_DIED_MAX).map(([id]) => id));
  return new Decisions({
    ...{ rules, ids, condemned, expired, metrics, tracing, now, realNow, log, accounts, market: feed.market },
    ...{ shard: shard.lease.shard, micros: turns.micros, onCharged: load.charge },
    isAway: (accountId) => shard.loader.isAway(accountId),
    idempotencyTtlMs: config.IDEMPOTENCY_TTL_MS,
    addressLimit: config.ADDRESS_LIMIT === 'yes',
    bounds: new JournalBounds({
      accountBytesMax: config.JOURNAL_ACCOUNT_MAX_BYTES,
      shardBytesMax: config.JOURNAL_MAX_BYTES,
      shardBytes: () => journalSize.bytes,
      onRefused: metrics.onJournalFull,
    }),
  });
}

function keeperOf({ pod, lease: { shard, token }, accounts: { residents }, events: { onEnd } }: ShardContext): AccountKeeper {
  const { redis, formats, log, turns, config } = pod;
  const kept = new RedisSnapshots({ redis, shard, token });
  const share = momentOf(shard, config.SHARDS);
  return new AccountKeeper({ share, formats, shard, log, residents, onEnd, kept, nextTurn: turns.background });
}

function historyOf({
  pod,
  lease,
  opened,
  accounts,
  commits,
  keeper,
  historySpans,
  journalSize,
  events,
}: ShardContext): HistoryWriter {
  const { redis, mongo, formats, log, archive, config, realNow, metrics, turns } = pod;
  const { shard, token, term } = lease;
  return new HistoryWriter({
    ...{ redis, mongo, formats, shard, token, log, archive, config, realNow, nextTurn: turns.background },
    mayWrite: term.requireRunning,
    snapshotOf: (accountId) => accounts.residents.snapshotOf(accountId),
    keep: (snapshots) => keeper.keep(snapshots),
    isHalted: (accountId) => accounts.quarantined.has(accountId),
    onHouse: (house) => metrics.onHouse(shard, house),
    onEnd: events.onEnd,
    onWritten: (commit, begunMs) => historySpans.onWritten(commit, begunMs),
    onTrimmed: (commit) => {
      opened.recovered.forget(commit);
      journalSize.cut(commit);
      accounts.residents.onTrimmed(commit, commits.draft);
    },
  });
}
