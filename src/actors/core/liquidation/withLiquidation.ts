// Checks after every decision whether a margin pool of the account is below its maintenance margin. Nearly always
// none is, so the check looks at cash and positions after the decision without folding the rest of it: orders, queues
// and taken liquidity. When a pool is below, or only a whole fold can tell, the liquidation follows in the same
// decision.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import type { Context, Decided } from '../fold/decision.ts';
import { Draft } from '../fold/draft.ts';
import { factsOf } from '../history/eventFacts.ts';
import { surplusOf } from '../margin/positionMargin.ts';
import type { AccountEvent } from '../messages/event.ts';
import { checkLiquidation } from './checkLiquidation.ts';

/** What was decided, and the liquidation that it leads to. */
export function withLiquidation(account: Account, decided: Decided, context: Context): Decided {
  const money = projectedMoney(decided);
  if (money === 'same' || (money !== 'unknown' && !hasMarginPoolBelow(account, money, context.market))) return decided;
  const draft = new Draft(account, context.nowMs, decided);
  checkLiquidation(draft, context);
  return draft.decided;
}

/** What planned fills leave: the cash, and the positions of the coins that they traded. */
interface Money {
  readonly cash: Decimal;
  readonly traded: ReadonlyMap<number, Position | undefined>;
}

/** `'same'` when no money moved; `'unknown'` when only a whole fold can tell, because not all of it moved by planned fills. */
function projectedMoney({ events, plans }: Decided): Money | 'same' | 'unknown' {
  let cash: Decimal | undefined;
  const traded = new Map<number, Position | undefined>();
  for (const event of events) {
    if (factsOf(event).margin === 'same') continue;
    const plan = plans?.get(event);
    if (!plan || event.type !== 'orderFilled') return 'unknown';
    cash = plan.after.cash;
    traded.set(event.asset, plan.after.position);
  }
  return cash ? { cash, traded } : 'same';
}

/** True when any pool is liquidatable: the same as checking each, in one pass. */
function hasMarginPoolBelow({ positions }: Account, { cash, traded }: Money, market: MarketView): boolean {
  let slack: Decimal | undefined = cash;
  for (const position of positions.values()) {
    if (slack && !traded.has(position.asset)) slack = slackWith(slack, position, market);
  }
  for (const position of traded.values()) if (slack && position) slack = slackWith(slack, position, market);
  return slack === undefined || slack.isNeg();
}

/** What the cross pool has beyond its maintenance margin; undefined when the position is a pool of its own that is below it. */
function slackWith(slack: Decimal, position: Position, market: MarketView): Decimal | undefined {
  const surplus = surplusOf(position, market);
  if (position.marginMode === 'cross') return slack.plus(surplus);
  return surplus.isNeg() ? undefined : slack;
}

/** True when one of these events can bring a pool below its maintenance margin. */
export function changesBalances(events: readonly AccountEvent[]): boolean {
  return events.some((event) => factsOf(event).margin === 'moved');
}
