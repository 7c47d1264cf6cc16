// What the terms of an account come to: a what-if's, then those that its user has set.
import type { FillModel, Terms } from '../../messages/fork/terms.ts';
import type { OwnTerms } from '../../messages/terms/ownTerms.ts';

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
