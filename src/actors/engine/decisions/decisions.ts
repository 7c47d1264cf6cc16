// All that runs the trading rules over the accounts of one shard. Commands, market changes and due actions become
// events by the rules, and one recorder makes the events true for an account.

import type { BookChange, ContextChange, TradesChange } from '../../../market/domain/feed.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { ShardIds } from '../../../shared/domain/shards.ts';
import { earliestTimeMs, type ShardCommand } from '../../core/messages/shardCommand.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import { CommandRunner, type CommandRunnerParts } from './commandRunner.ts';
import { EntryRecorder, type EntryRecorderParts } from './entryRecorder.ts';

interface DecisionsParts
  extends Omit<CommandRunnerParts, 'recorder'>,
    Pick<EntryRecorderParts, 'micros' | 'onCharged' | 'addressLimit'> {
  readonly market: LiveMarket;
  readonly ids: ShardIds;
}

export class Decisions {
  readonly recorder: EntryRecorder;
  readonly commands: CommandRunner;
  readonly reactions: MarketReactions;
  readonly scheduled: ScheduledActions;

  constructor(parts: DecisionsParts) {
    this.recorder = new EntryRecorder(parts);
    const { recorder } = this;
    this.commands = new CommandRunner({ ...parts, recorder });
    this.reactions = new MarketReactions({ ...parts, recorder });
    this.scheduled = new ScheduledActions({ ...parts, recorder, reactions: this.reactions });
  }
}

interface ActionsParts {
  readonly rules: Rules;
  readonly market: LiveMarket;
  readonly accounts: AccountsInMemory;
  readonly recorder: EntryRecorder;
}

interface ScheduledActionsParts extends ActionsParts {
  readonly reactions: MarketReactions;
  readonly metrics: ActorMetrics;
  readonly now: () => number;
}

/** Runs what is due: actions that accounts have planned, and work that jobs ask of all of them. */
class ScheduledActions {
  readonly #parts: ScheduledActionsParts;

  constructor(parts: ScheduledActionsParts) {
    this.#parts = parts;
  }

  /** Lets every account act whose time has come. */
  runDue(draft: CommitDraft): void {
    const { accounts, now, rules, recorder } = this.#parts;
    for (;;) {
      const nowMs = now();
      const accountId = accounts.due.takeDue(nowMs);
      if (accountId === undefined) return;
      recorder.act(accountId, draft, { what: 'wake-up', notBeforeMs: nowMs, decide: rules.decideDue });
      if (draft.isFull) return;
    }
  }

  /**
   * Lets one account do what a job asks of all. An account that is not in memory holds nothing that a job could concern.
   * @returns true when it has changed
   */
  runShardCommand(accountId: string, command: ShardCommand, draft: CommitDraft): boolean {
    const { rules, recorder, reactions, metrics } = this.#parts;
    const isWatched = reactions.isWatched(accountId);
    const isChanged = recorder.act(accountId, draft, {
      what: command.type,
      notBeforeMs: earliestTimeMs(command),
      decide: (account, context) => rules.decideShardCommand(account, command, context),
    });
    if (isChanged && command.type === 'scanLiquidation' && !isWatched) metrics.onMissedLiquidation();
    return isChanged;
  }
}

/**
 * Applies market changes to the accounts of a shard that they affect. The market view includes a change before it
 * comes here. Marks and listings for which the draft has no room are kept until it has.
 */
export class MarketReactions {
  readonly #parts: ActionsParts;
  readonly #affected: AffectedAccounts;
  /** Accounts that may hold something in a delisted coin. */
  #unasked: string[] = [];
  /** The newest mark of each coin that an affected account has not seen. */
  readonly #unseenMarks = new Map<string, ContextChange>();

  constructor(parts: ActionsParts) {
    this.#parts = parts;
    this.#affected = new AffectedAccounts(parts);
  }

  /** What a book or trades do to the accounts that they concern. */
  runMarket(change: BookChange | TradesChange, draft: CommitDraft): void {
    const asset = this.#parts.market.assetOf(change.coin)?.id;
    if (asset === undefined) return;
    for (const accountId of this.#affected.byChange(asset, change)) this.#show(accountId, change, draft);
  }

  /** A coin has a new mark. Accounts for which the draft has no room see it, or a newer one, by `runMarks`. */
  onMark(change: ContextChange, draft: CommitDraft): void {
    this.#unseenMarks.set(change.coin, change);
    if (!draft.isFull) this.#runMark(change, draft);
  }

  /** Applies every coin's newest mark, after the shard was loading or the view was loaded again. */
  onAllMarks(draft: CommitDraft): void {
    for (const asset of this.#affected.markedAssets) {
      const change = this.#parts.market.contextOf(asset);
      if (change !== undefined) this.onMark(change, draft);
    }
  }

  /** Shows the marks that accounts have not seen for want of room. */
  runMarks(draft: CommitDraft): void {
    for (const change of this.#unseenMarks.values()) {
      if (draft.isFull) return;
      this.#runMark(change, draft);
    }
  }

  /** The mark counts as seen when every affected account has seen it. */
  #runMark(change: ContextChange, draft: CommitDraft): void {
    const asset = this.#parts.market.assetOf(change.coin)?.id;
    if (asset !== undefined) {
      for (const accountId of this.#affected.endangeredByMark(asset)) {
        if (draft.isFull) return;
        this.#show(accountId, change, draft);
        this.#affected.onMarkSeen(accountId);
      }
      for (const accountId of this.#affected.byMark(asset)) {
        if (draft.isFull) return;
        this.#show(accountId, change, draft);
      }
    }
    this.#unseenMarks.delete(change.coin);
  }

  /** True when a mark that is still to be applied, or the next one, will check the account. */
  isWatched(accountId: string): boolean {
    return this.#unseenMarks.size > 0 || this.#parts.accounts.risk.isWatched(accountId);
  }

  /** Every account is to be asked what it holds in coins that the venue has taken off its list. */
  onListings(): void {
    this.#unasked = this.#parts.accounts.residents.ids;
  }

  /** Settles delisted coins, account by account as far as the draft has room. */
  runListings(draft: CommitDraft): void {
    const { rules, recorder } = this.#parts;
    while (!draft.isFull) {
      const accountId = this.#unasked.pop();
      if (accountId === undefined) return;
      recorder.act(accountId, draft, { what: 'delisting', decide: rules.settleDelisted });
    }
  }

  #show(accountId: string, change: BookChange | TradesChange | ContextChange, draft: CommitDraft): void {
    const { rules, recorder } = this.#parts;
    recorder.act(accountId, draft, {
      what: `${change.type} of ${change.coin}`,
      decide: (account, context) => rules.decideMarket(account, change, context),
    });
  }
}

const NO_ACCOUNTS: ReadonlySet<string> = new Set();

/**
 * Which accounts of a shard a market change can affect: by the prices at which their orders could fill, their triggers fire or their margin
 * run out. An account that is named may find nothing to do; no account that has something to do is left out.
 */
class AffectedAccounts {
  readonly #parts: Omit<ActionsParts, 'recorder'>;

  constructor(parts: Omit<ActionsParts, 'recorder'>) {
    this.#parts = parts;
  }

  /** Assets whose mark could affect an account. */
  get markedAssets(): ReadonlySet<number> {
    const { triggers, risk } = this.#parts.accounts;
    return new Set([...triggers.assets, ...risk.assets]);
  }

  /**
   * By the view's book and not the change's: a bbo or trade may be newer. A book also affects accounts for which the mark
   * has done something that had to wait for a usable book.
   */
  byChange(asset: number, change: BookChange | TradesChange): Iterable<string> {
    const { market, accounts } = this.#parts;
    const { index, triggers } = accounts;
    if (change.type === 'trades') return index.affectedByTrades(asset, change);
    const affected = triggers.waitingForBook(asset);
    for (const accountId of this.byMark(asset)) affected.add(accountId);
    const book = index.hasAsset(asset) ? market.bookText(change.coin) : undefined;
    if (book === undefined) return affected;
    for (const accountId of index.affectedByBook(asset, book, market.feedTimeMs(asset))) affected.add(accountId);
    return affected;
  }

  /** Accounts that the asset's current mark affects. */
  byMark(asset: number): ReadonlySet<string> {
    const { market, accounts } = this.#parts;
    const { triggers } = accounts;
    const mark = triggers.size === 0 ? undefined : market.contextOf(asset)?.context.markPx;
    return mark === undefined ? NO_ACCOUNTS : triggers.affectedBy(asset, Number(mark));
  }

  /** Accounts whose wake price the asset's current mark has reached. Changed accounts get new wake prices first. */
  endangeredByMark(asset: number): ReadonlySet<string> {
    const { market, accounts, rules } = this.#parts;
    const { risk, residents } = accounts;
    for (const accountId of risk.stale) {
      const resident = residents.get(accountId);
      if (resident === undefined) risk.remove(accountId);
      else risk.set(accountId, rules.wakePrices(resident.account, market));
    }
    const mark = market.contextOf(asset)?.context.markPx;
    return mark === undefined ? NO_ACCOUNTS : risk.wokenBy(asset, Number(mark));
  }

  /** The account has seen a mark: its wake prices are no longer those of the current marks. */
  onMarkSeen(accountId: string): void {
    const { residents, risk } = this.#parts.accounts;
    const resident = residents.get(accountId);
    if (resident !== undefined) risk.touch(resident.account);
  }
}
