// Runs what is due: actions that accounts have planned, and work that jobs ask of all of them.

import { earliestTimeMs, type ShardCommand } from '../../core/messages/shardCommand.ts';
import type { ActorMetrics } from '../commit/actorMetrics.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { AccountsInMemory } from '../residents/accountsInMemory.ts';
import type { EntryRecorder } from './entryRecorder.ts';
import type { MarketReactions } from './marketReactions.ts';
import type { Rules } from './rules.ts';

export interface ScheduledActionsParts {
  readonly rules: Rules;
  readonly accounts: AccountsInMemory;
  readonly recorder: EntryRecorder;
  readonly reactions: MarketReactions;
  readonly metrics: ActorMetrics;
  readonly now: () => number;
}

export class ScheduledActions {
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
