// How many actions an account may send (trading-rules 1.8): 10,000 and one for each USD that it has traded, less what it has sent
// beyond those that it has paid for. The count is state, so it is the same after every restart.
import type { Decimal } from '../../../shared/domain/decimal.ts';

/** Actions of an account that has traded nothing. */
const REQUESTS_INITIAL = 10_000;

/** What an account remembers of its limit beside the count of its requests. */
export interface AddressLimit {
  /** Requests that are paid for. */
  readonly reserved: number;
  /** When the next action beyond the limit is let through, ms. */
  readonly nextAtMs: number;
}

export const NOT_LIMITED: AddressLimit = { reserved: 0, nextAtMs: 0 };

/** The numbers of `userRateLimit`. */
export interface RequestCount {
  /** Sent beyond those that are paid for. */
  readonly used: number;
  readonly cap: number;
  /** Paid for and not sent yet. */
  readonly surplus: number;
}

/** @param requestsUsed all that were ever sent, an action of n orders or cancels counted n times */
export function requestCount({
  requestsUsed,
  requestsReserved,
  volumeUsd,
}: {
  readonly requestsUsed: number;
  readonly requestsReserved: number;
  readonly volumeUsd: Decimal;
}): RequestCount {
  return {
    used: Math.max(0, requestsUsed - requestsReserved),
    cap: REQUESTS_INITIAL + volumeUsd.floor().toNumber(),
    surplus: Math.max(0, requestsReserved - requestsUsed),
  };
}

/** The same of an account. */
export function requestCountOf({
  totals,
  addressLimit = NOT_LIMITED,
}: {
  readonly totals: { readonly requestsUsed: number; readonly volumeUsd: Decimal };
  readonly addressLimit?: AddressLimit | undefined;
}): RequestCount {
  return requestCount({ ...totals, requestsReserved: addressLimit.reserved });
}
