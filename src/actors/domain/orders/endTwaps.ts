// The end of a TWAP before its last slice, recorded the same way whatever ended it. The orders of its slices are over by
// then: a slice never rests.

import { leftOf, type Twap, toTwapView } from '../account/twap.ts';
import type { Draft } from '../fold/draft.ts';
import { isSameSide } from '../margin/position.ts';
import type { TwapEnd } from '../messages/historyRows.ts';

export function endTwap(draft: Draft, twap: Twap, end: TwapEnd): void {
  draft.record({ type: 'twapEnded', twap: toTwapView(twap), end });
}

/** Ends the running TWAPs that match, oldest first. */
export function endTwaps(draft: Draft, matches: (twap: Twap) => boolean, end: TwapEnd): void {
  const { twaps } = draft.account;
  if (twaps.size === 0) return;
  for (const twap of twaps.values()) if (matches(twap)) endTwap(draft, twap, end);
}

/** After a change of a position: its reduce-only TWAPs end when there is nothing left to reduce. */
export function endTwapsWithoutPosition(draft: Draft, asset: number): void {
  const { account } = draft;
  if (account.twaps.size === 0) return;
  const position = account.positions.get(asset);
  for (const twap of account.twaps.values()) {
    if (twap.asset !== asset || !twap.reduceOnly || (position && !isSameSide(position, twap.side))) continue;
    endTwap(draft, twap, { status: leftOf(twap).isZero() ? 'finished' : 'terminated' });
  }
}
