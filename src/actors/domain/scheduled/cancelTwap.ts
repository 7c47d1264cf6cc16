// Ends a running TWAP by its id, on the asset named with it. What its slices have got stays.
import type { Account } from '../account/account.ts';
import { Draft } from '../fold/draft.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Context, Decision } from '../messages/decision.ts';
import { endTwap } from '../orders/endTwaps.ts';
import { TWAP_REFUSALS } from './startTwap.ts';

export function twapCancel(
  account: Account,
  { asset, twapId }: Extract<AccountCommand, { type: 'cancelTwap' }>,
  { nowMs }: Context,
): Decision {
  const twap = account.twaps.get(twapId);
  if (twap?.asset !== asset) {
    return { events: [], outcome: { type: 'twapRefused', text: TWAP_REFUSALS.notRunning }, requests: 1 };
  }
  const draft = new Draft(account, nowMs);
  endTwap(draft, twap, { status: 'terminated' });
  return { events: draft.events, outcome: { type: 'done' }, requests: 1 };
}
