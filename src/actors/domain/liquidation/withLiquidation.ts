// Checks after every decision whether a margin pool of the account is below its maintenance margin. Nearly always
// none is, so the check looks at cash and positions after the decision without folding the rest of it: orders, queues
// and taken liquidity. When a pool is below, or only a whole fold can tell, the liquidation follows in the same
// decision.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Account, Position } from '../account/account.ts';
import type { Context, Decided } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { factsOf } from '../history/eventFacts.ts';
import { surplusOf } from '../margin/positionMargin.ts';
import type { AccountEvent } from '../messages/event.ts';
import { checkLiquidation } from './checkLiquidation.ts';

/** What was decided, and the liquidation that it leads to. */
export function withLiquidation(account: Account, decided: Decided, context: Context): Decided {
  const money = projectedBalances(account, decided);
  if (money === account || (money !== 'unknown' && !hasMarginPoolBelow(money, context.market))) return decided;
  const draft = new Draft(account, context.nowMs, decided);
  checkLiquidation(draft, context);
  return draft.decided;
}

type Money = Pick<Account, 'cash' | 'positions'>;

/** The account itself when no money moved; `'unknown'` when only a whole fold can tell, because not all of it moved by planned fills. */
function projectedBalances(account: Account, { events, plans }: Decided): Money | 'unknown' {
  let money: Money = account;
  let positions: Map<number, Position> | undefined;
  for (const event of events) {
    if (factsOf(event).margin === 'same') continue;
    const plan = plans?.get(event);
    if (!plan || event.type !== 'orderFilled') return 'unknown';
    const { cash, position } = plan.after;
    positions ??= new Map(account.positions);
    if (position) positions.set(event.asset, position);
    else positions.delete(event.asset);
    money = { cash, positions };
  }
  return money;
}

/** True when any pool is liquidatable: the same as checking each, in one pass. */
function hasMarginPoolBelow({ cash, positions }: Pick<Account, 'cash' | 'positions'>, market: MarketView): boolean {
  let slack = cash;
  for (const position of positions.values()) {
    const surplus = surplusOf(position, market);
    if (position.marginMode === 'cross') slack = slack.plus(surplus);
    else if (surplus.isNeg()) return true;
  }
  return slack.isNeg();
}

/** True when one of these events can bring a pool below its maintenance margin. */
export function changesBalances(events: readonly AccountEvent[]): boolean {
  return events.some((event) => factsOf(event).margin === 'moved');
}
