// What a fill was planned to leave, kept with its event: the process that has decided a fill applies it a moment later to
// the same cash and position, and need not compute it from text again. A replay finds nothing here and computes; both
// give the same, by the same function of the same numbers.
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Holding } from '../margin/position.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { PlannedExecution, PlannedFill } from './fillPlan.ts';

type OrderFilled = Extract<AccountEvent, { type: 'orderFilled' }>;

/** What applying a fill needs to know of its numbers. */
export interface AppliedNumbers {
  readonly after: Holding;
  readonly size: Decimal;
  /** USD. */
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly closedPnl: Decimal;
}

/** Enough for the fills of an order that walks three whole books. A weak map would do, but costs more than it saves. */
const KEPT_MAX = 64;

const kept: ({ readonly event: OrderFilled; readonly plan: PlannedFill<PlannedExecution> } | undefined)[] =
  Array(KEPT_MAX).fill(undefined);
let next = 0;

export function keepPlan(event: OrderFilled, plan: PlannedFill<PlannedExecution>): void {
  kept[next] = { event, plan };
  next = (next + 1) % KEPT_MAX;
}

/** The plan's numbers when this very cash and position are what the event was planned on. */
export function keptNumbers(event: OrderFilled, { cash, position }: Holding): AppliedNumbers | undefined {
  const plan = planOf(event);
  if (plan?.before.cash !== cash || plan.before.position !== position) return undefined;
  const { notional, fee, closedPnl } = plan.numbers;
  return { after: plan.after, size: plan.execution.size, notional, fee, closedPnl };
}

/** Newest first: it is nearly always the last one. */
function planOf(event: OrderFilled): PlannedFill<PlannedExecution> | undefined {
  for (let back = 1; back <= KEPT_MAX; back++) {
    const entry = kept[(next - back + KEPT_MAX) % KEPT_MAX];
    if (entry?.event === event) return entry.plan;
  }
  return undefined;
}
