// Actions that wait for their latency, as a failure lab has drawn it: each is decided when its time has come, on the book of that
// moment, after all that happened before. So an order may find another book than its sender saw, and a cancel may come too late.
import type { BookChange, ContextChange, TradesChange } from '../../../../market/domain/feed.ts';
import { assert, unreachable } from '../../../../shared/domain/assert.ts';
import type { Account } from '../../account/account.ts';
import { type DelayedAction, firstDelayed } from '../../account/lab/labState.ts';
import { REFUSALS } from '../../checks/checkAction.ts';
import { type Context, clockOf, type Decided } from '../../fold/decision.ts';
import type { Draft } from '../../fold/draft.ts';
import type { CommandOutcome } from '../../messages/answers/commandOutcome.ts';
import type { Outcome } from '../../messages/outcome.ts';
import { cancelOrders } from '../../orders/cancelOrders.ts';
import { modifyOrders } from '../../orders/modifyOrders.ts';
import { placeOrders } from '../../orders/placeOrders.ts';
import { withMirrored } from '../withMirrored.ts';

/** Decides the one that is due first. */
export function decideDelayed(draft: Draft, context: Context): void {
  const action = draft.account.lab && firstDelayed(draft.account.lab);
  assert(action, 'no action waits for its latency');
  // The cuts of reduce-only orders that are still to be made come before it.
  void draft.decided;
  const { outcome, ...decided } = withMirrored(draft.account, action.command, decideNow(draft.account, action, context));
  draft.take(decided);
  draft.record({ type: 'delayedActionDecided', number: action.number, outcome: outcome as CommandOutcome });
}

/** Decides those that were due already when the market changed: a cancel that was in time ends its order before a later trade. */
export function decideDelayedBefore(draft: Draft, change: BookChange | TradesChange | ContextChange, context: Context): void {
  const happenedMs = change.type === 'trades' ? (change.trades[0]?.timeMs ?? 0) : change.timeMs;
  const untilMs = Math.min(happenedMs, clockOf(context));
  for (let next = firstOf(draft.account); next && next.dueMs <= untilMs; next = firstOf(draft.account))
    decideDelayed(draft, context);
}

const firstOf = ({ lab }: Account): DelayedAction | undefined => lab && firstDelayed(lab);

function decideNow(
  account: Account,
  { command, note, key }: DelayedAction,
  context: Context,
): Decided & { readonly outcome: Outcome } {
  if (command.expiresAfterMs !== undefined && clockOf(context) > command.expiresAfterMs) {
    return { events: [], outcome: { type: 'refused', text: REFUSALS.expired } };
  }
  const inLab = { ...context, lab: note, key };
  switch (command.type) {
    case 'placeOrders':
      return placeOrders(account, command, inLab);
    case 'modifyOrders':
      return modifyOrders(account, command, inLab);
    case 'cancelOrders':
      return cancelOrders(account, command, inLab);
    default:
      return unreachable(command);
  }
}
