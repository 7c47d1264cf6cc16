// All that runs the trading rules over the accounts of one shard. Commands, market changes and due actions become
// events by the rules, and one recorder makes the events true for an account.
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { ShardIds } from '../../../shared/domain/ids.ts';
import { CommandRunner, type CommandRunnerParts } from './commandRunner.ts';
import { EntryRecorder, type EntryRecorderParts } from './entryRecorder.ts';
import { MarketReactions } from './marketReactions.ts';
import { ScheduledActions } from './scheduledActions.ts';

export interface DecisionsParts
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
