// Actors with rules whose time runs fast, from HASTE_FROM_MS on. `node --import tsx hastyActors.ts`.
import { tradingRules } from '../../../src/features/rules.ts';
import { startComposedActors } from './composedActors.ts';
import { hastyTime } from './hastyTime.ts';

const { HASTE_FROM_MS } = process.env;
const time = hastyTime(Number(HASTE_FROM_MS));
const hastened = <Context extends { readonly nowMs: number; readonly clockMs?: number }>(context: Context): Context => ({
  ...context,
  nowMs: time.of(context.nowMs),
  ...(context.clockMs !== undefined && { clockMs: time.of(context.clockMs) }),
});

await startComposedActors({
  ...tradingRules,
  decide: (account, command, context) => tradingRules.decide(account, command, hastened(context)),
  decideMarket: (account, change, context) => tradingRules.decideMarket(account, change, hastened(context)),
  decideDue: (account, context) => tradingRules.decideDue(account, hastened(context)),
  nextDueMs: (account) => {
    const dueMs = tradingRules.nextDueMs(account);
    return dueMs === undefined ? undefined : time.clockAt(dueMs);
  },
});
