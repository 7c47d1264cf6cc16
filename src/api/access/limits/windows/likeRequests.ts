// Requests of one turn of the event loop that are alike, because their charges are: they are counted together.
import type { Charge, ChargeDecision } from '../charge.ts';

/** Windows in one script call: more would block Redis for others. */
const WINDOWS_PER_CALL = 500;

export interface LikeRequests {
  readonly charges: readonly Charge[];
  readonly isForced: boolean;
  readonly resolvers: ((decision: ChargeDecision) => void)[];
}

/** Names of charges that come again with each request. */
const names = new WeakMap<readonly Charge[], string>();

/** Like requests have the same name. */
export function nameOf(charges: readonly Charge[], isForced: boolean): string {
  let name = names.get(charges);
  if (name === undefined) {
    name = charges.map(({ subject, cap, cost }) => `${subject} ${cap} ${cost}`).join(' ');
    names.set(charges, name);
  }
  return isForced ? `+${name}` : name;
}

/** Parts that are not too large for one call. */
export function inCalls(all: Iterable<LikeRequests>): LikeRequests[][] {
  let call: LikeRequests[] = [];
  const calls = [call];
  let windows = 0;
  for (const one of all) {
    if (windows + one.charges.length > WINDOWS_PER_CALL && call.length > 0) {
      call = [];
      calls.push(call);
      windows = 0;
    }
    call.push(one);
    windows += one.charges.length;
  }
  return calls;
}
