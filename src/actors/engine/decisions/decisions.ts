// All that runs the trading rules over the accounts of one shard. Commands, market changes and due actions become
// events by the rules, and one recorder makes the events true for an account.

import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { ShardIds } from '../../../shared/domain/ids.ts';
import { earliestTimeMs, type ShardCommand } from '../../core/messages/shardCommand.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import { CommandRunner, type CommandRunnerParts } from './commandRunner.ts';
import { EntryRecorder, type EntryRecorderParts } from './entryRecorder.ts';
import { MarketReactions } from './marketReactions.ts';

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

interface ScheduledActionsParts {
  readonly rules: Rules;
  readonly accounts: AccountsInMemory;
  readonly recorder: EntryRecorder;
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
