// What an account does when a job commands all accounts of its shard. Pure, like every decision; the second time it
// does nothing.
import { unreachable } from '../../shared/domain/assert.ts';
import type { Account } from './account/account.ts';
import { type Decided, Draft } from './fold/draft.ts';
import type { Context } from './fold/pipeline.ts';
import { limitWakePrices, turnPeriods, watchLimits, withConsequences } from './lifecycle/aroundDecision.ts';
import { checkLiquidation } from './liquidation/checkLiquidation.ts';
import { payFunding } from './liquidation/payFunding.ts';
import { isInDanger, wakePrices } from './margin/wakePrices.ts';
import type { ShardCommand } from './messages/shardCommand.ts';

/** No events = not concerned. */
export function decideShardCommand(account: Account, command: ShardCommand, context: Context): Decided {
  const draft = new Draft(account, context.nowMs);
  switch (command.type) {
    case 'settleFunding':
      turnPeriods(draft, context);
      payFunding(draft, command, context.market);
      return withConsequences(account, draft.decided, context);
    case 'scanLiquidation':
      scan(draft, context);
      return draft.decided;
    case 'sampleEquity':
      if (account.positions.size === 0 || account.equityNotedMs >= command.periodMs) return { events: [] };
      return { events: [{ type: 'equitySampled' }] };
    default:
      return unreachable(command);
  }
}

/** An account that is far from everything stays as it is: its new day begins when it is woken. */
function scan(draft: Draft, context: Context): void {
  const { market, pipeline } = context;
  const isEndangered = isInDanger(wakePrices(draft.account, market));
  if (!isEndangered && !isInDanger(limitWakePrices(draft.account, market, pipeline))) return;
  turnPeriods(draft, context);
  if (isEndangered) checkLiquidation(draft, context);
  if (isInDanger(limitWakePrices(draft.account, market, pipeline))) watchLimits(draft, context);
}
