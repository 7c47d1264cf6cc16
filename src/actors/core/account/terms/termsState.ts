// The terms of an account, as its user has set them. An account whose terms were never others than the service's remembers nothing.
import type { OwnTerms } from '../../messages/terms/ownTerms.ts';

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
