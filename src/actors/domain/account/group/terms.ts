// What the terms of a what-if come to for its account.
import type { FillModel, Terms } from '../../messages/fork/terms.ts';

interface MayHaveTerms {
  readonly fork?: { readonly terms?: Terms | undefined } | undefined;
}

/** How resting orders of the account fill. */
export const fillModelOf = ({ fork }: MayHaveTerms): FillModel => fork?.terms?.fillModel ?? 'queue';

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
