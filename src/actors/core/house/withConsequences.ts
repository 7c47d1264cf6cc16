// What every decision leads to: a liquidation where a margin pool is below its maintenance margin, then what the house rules of the
// account want. An account without rules costs one comparison.
import type { Account } from '../account/account.ts';
import type { Context, Decided } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { withLiquidation } from '../liquidation/withLiquidation.ts';
import { carryPeak } from './carryPeak.ts';
import { watchHouse } from './watchHouse.ts';

/** What was decided, and what follows from it; the same object where nothing does. */
export function withConsequences(account: Account, decided: Decided, context: Context): Decided {
  const settled = withLiquidation(account, decided, context);
  if (account.house === undefined || settled.events.length === 0) return settled;
  const draft = new Draft(account, context.nowMs, settled);
  carryPeak(account, draft, context);
  watchHouse(draft, context);
  return draft.events.length === settled.events.length ? settled : draft.decided;
}
