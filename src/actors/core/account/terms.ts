// The terms of an account: what its fills cost, and when its resting orders fill.
import type { FillModel, OwnTerms, Terms } from '../messages/terms.ts';

// What the terms of an account come to: a what-if's, then those that its user has set.

interface MayHaveTerms {
  readonly terms?: OwnTerms | undefined;
  readonly fork?: { readonly terms?: Terms | undefined } | undefined;
}

/** How orders fill that come to rest now. */
export const fillModelOf = ({ fork, terms }: MayHaveTerms): FillModel => fork?.terms?.fillModel ?? terms?.fillModel ?? 'queue';

/** The leverage of a coin under the terms; undefined where they say nothing of it. */
export function leverageUnder({ fork }: MayHaveTerms, { maxLeverage }: { readonly maxLeverage: number }): number | undefined {
  const leverage = fork?.terms?.leverage;
  return leverage === undefined ? undefined : Math.min(leverage, maxLeverage);
}

/** Whether two forks of an entry are the same one. Both come from the same request or its stored form, so keys have one order. */
export const areSameTerms = (a: Terms | undefined, b: Terms | undefined): boolean => textOf(a) === textOf(b);

const textOf = (terms: Terms | undefined): string => {
  const { fees, leverage, fillModel, latency } = terms ?? {};
  return JSON.stringify([terms !== undefined, fees?.maker, fees?.taker, leverage, fillModel, latency]);
};

/**
 * The terms of an account, as its user has set them. An account whose terms were never others than the service's remembers nothing.
 */
export interface TermsState extends OwnTerms {
  /** When they last changed. Absent: all fills since the account began are under them. */
  readonly changedAtMs?: number | undefined;
}

const isDefault = (terms: OwnTerms): boolean => Object.keys(terms).length === 0;

export const areSame = (a: OwnTerms, b: OwnTerms): boolean =>
  JSON.stringify([a.fees, a.fillModel]) === JSON.stringify([b.fees, b.fillModel]);

/** @returns undefined when nothing is to be remembered */
export function termsAfter(
  terms: OwnTerms,
  { hasTraded, timeMs }: { hasTraded: boolean; timeMs: number },
): TermsState | undefined {
  if (hasTraded) return { ...terms, changedAtMs: timeMs };
  return isDefault(terms) ? undefined : terms;
}

/** Of an account that begins anew with them: no fill of it was under others. */
export function termsFromNow(terms: TermsState | undefined): { readonly terms?: TermsState } {
  if (terms === undefined) return {};
  const { changedAtMs: _, ...kept } = terms;
  return isDefault(kept) ? {} : { terms: kept };
}
