// Discount codes as operators make, see and end them.
import type { DiscountSummary } from '../../shared/billing/discountStore.ts';
import { type Discount, discountFault } from '../../shared/domain/billing/discount.ts';
import { centsText } from '../../shared/domain/billing/terms.ts';
import { type OperatorParts, Refused, Unknown, UsageError } from '../operatorParts.ts';

type Parts = Pick<OperatorParts, 'billing'>;

/** A new code. @throws {UsageError} that says what is wrong with it, {Refused} when it exists already */
export async function createCode({ billing }: Parts, discount: Omit<Discount, 'uses'>): Promise<void> {
  const fault = discountFault(discount);
  if (fault !== undefined) throw new UsageError(fault);
  if (!(await billing.discounts.create(discount))) throw new Refused(`The code ${discount.code} exists already.`);
}

/** The code can no longer be taken. A second call changes nothing. @throws {Unknown} when there is no such code */
export async function endCode({ billing }: Parts, code: string): Promise<void> {
  const isKnown = await billing.discounts.end(code, new Date(billing.now()));
  if (!isKnown) throw new Unknown(`There is no code ${code}.`);
}

/** A code in a list. */
export const toCodeRow = ({ code, kind, value, appliesTo, usesMax, uses, unspent, expiresAtMs }: DiscountSummary) => ({
  ...{ code, kind, value: kind === 'percent' ? String(value) : centsText(value), applies_to: appliesTo },
  ...{ uses, unspent, uses_max: usesMax, expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString() },
});
