// Actors whose rules fail for marked orders. `node --import tsx throwingActors.ts`.
import { tradingRules } from '../../../src/features/rules.ts';
import { startComposedActors } from './composedActors.ts';
import { isMarked } from './markedOrder.ts';

await startComposedActors({
  ...tradingRules,
  decide: (account, command, context) => {
    if (isMarked(command, 'decideThrows')) throw new Error('the rule fails');
    const decision = tradingRules.decide(account, command, context);
    // No account can fold the move of an order that is not there.
    return isMarked(command, 'foldThrows')
      ? { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] }
      : decision;
  },
});
