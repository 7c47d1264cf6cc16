// The steps around every decision. Before a decision periods turn by the clock, and due work runs. After it come its consequences: a
// liquidation, and the acts of the account's limits. The times are state, so a crash loses none, and the next owner of the account finds
// them due.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { assert } from '../../../shared/domain/assert.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, Position } from '../account/account.ts';
import { plannedResult } from '../fills/fillEvent.ts';
import { type Decided, Draft } from '../fold/draft.ts';
import { type Context, clockOf, type DuePart, type Pipeline } from '../fold/pipeline.ts';
import { factsOf } from '../history/eventFacts.ts';
import { checkLiquidation } from '../liquidation/checkLiquidation.ts';
import { surplusOf } from '../margin/positionMargin.ts';
import type { WakePrice } from '../margin/wakePrices.ts';

/** Whether no feature plans anything in the account: most accounts plan nothing, and need not be asked for a time. */
export const plansNothing = ({ scheduledCancel, twaps, lab, dayStart, house }: Account): boolean =>
  scheduledCancel.dueMs === undefined && twaps.size === 0 && lab === undefined && dayStart === undefined && house === undefined;

/** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
export function nextDueMs(account: Account, { periods, due }: Pipeline): number | undefined {
  if (plansNothing(account)) return undefined;
  const [period, planned] = [earliest(account, periods), earliest(account, due)];
  if (period === undefined || planned === undefined) return (period ?? planned)?.dueMs;
  return Math.min(period.dueMs, planned.dueMs);
}

/** Events of all that is due by the clock; none when it is too early. Due parts run in the order of their times. */
export function decideDue(account: Account, context: Context): Decided {
  const first = nextDueMs(account, context.pipeline);
  const clockMs = clockOf(context);
  if (first === undefined || first > clockMs) return { events: [] };
  const draft = new Draft(account, context);
  turnPeriods(draft, context);
  const next = () => earliest(draft.account, context.pipeline.due);
  for (let due = next(); due && due.dueMs <= clockMs; due = next()) {
    const eventsBefore = draft.events.length;
    due.part.run(draft, context, due.dueMs);
    assert(draft.events.length > eventsBefore, `nothing came of what was due at ${due.dueMs}, it would be due for ever`);
  }
  return withConsequences(account, draft.decided, context);
}

function earliest(account: Account, parts: readonly DuePart[]): { readonly part: DuePart; readonly dueMs: number } | undefined {
  let first: { readonly part: DuePart; readonly dueMs: number } | undefined;
  for (const part of parts) {
    const dueMs = part.nextMs(account);
    if (dueMs !== undefined && (first === undefined || dueMs < first.dueMs)) first = { part, dueMs };
  }
  return first;
}

/**
 * Turns the periods that are over by now. Every decision calls it first: a trade, a mark, funding or a command may come before the clock wakes
 * the account at midnight, and belongs to the new day.
 */
export function turnPeriods(draft: Draft, context: Context): void {
  const { account } = draft;
  if (account.dayStart === undefined && account.house === undefined) return;
  const clockMs = clockOf(context);
  for (const period of context.pipeline.periods) {
    const turnMs = period.nextMs(account);
    if (turnMs !== undefined && turnMs <= clockMs) period.run(draft, context, turnMs);
  }
}

/** What was decided, and what follows from it; the same object where nothing does. */
export function withConsequences(account: Account, decided: Decided, context: Context): Decided {
  const settled = withLiquidation(account, decided, context);
  if (account.house === undefined || settled.events.length === 0) return settled;
  const draft = new Draft(account, context, settled);
  for (const follow of context.pipeline.consequences) follow(account, draft, context);
  watchLimits(draft, context);
  return draft.events.length === settled.events.length ? settled : draft.decided;
}

/** Looks whether limits of the account are broken, and does what then follows. */
export function watchLimits(draft: Draft, context: Context): void {
  if (draft.account.house === undefined) return;
  for (const watch of context.pipeline.watches) watch(draft, context);
}

/** Marks at which the limits of the account have to be looked at. */
export function limitWakePrices(account: Account, market: MarketView, { wakePrices }: Pipeline): WakePrice[] {
  return account.house === undefined ? [] : wakePrices.flatMap((pricesOf) => pricesOf(account, market));
}

// Checks after every decision whether a margin pool of the account is below its maintenance margin. Nearly always
// none is, so the check looks at cash and positions after the decision without folding the rest of it: orders, queues
// and taken liquidity. When a pool is below, or only a whole fold can tell, the liquidation follows in the same
// decision.

/** A decision, and the liquidation that it leads to. */
function withLiquidation(account: Account, decided: Decided, context: Context): Decided {
  const money = projectedMoney(decided);
  if (money === 'same' || (money !== 'unknown' && !hasMarginPoolBelow(account, money, context.market))) return decided;
  const draft = new Draft(account, context, decided);
  checkLiquidation(draft, context);
  return draft.decided;
}

/** What planned fills leave: the cash, and the positions of the coins that they traded. */
interface Money {
  readonly cash: Decimal;
  readonly traded: ReadonlyMap<number, Position | undefined>;
}

/** `'same'` when no money moved; `'unknown'` when only a whole fold can tell, because not all of it moved by planned fills. */
function projectedMoney({ events }: Decided): Money | 'same' | 'unknown' {
  let cash: Decimal | undefined;
  const traded = new Map<number, Position | undefined>();
  for (const event of events) {
    if (factsOf(event).margin === 'same') continue;
    const planned = event.type === 'orderFilled' && plannedResult(event);
    if (!planned) return 'unknown';
    cash = planned.after.cash;
    traded.set(event.asset, planned.after.position);
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

/** The value of the cross pool beyond its maintenance margin; undefined when the position is a pool of its own that is below it. */
function slackWith(slack: Decimal, position: Position, market: MarketView): Decimal | undefined {
  const surplus = surplusOf(position, market);
  if (position.marginMode === 'cross') return slack.plus(surplus);
  return surplus.isNeg() ? undefined : slack;
}
