// POST /v1/billing/discount/apply `{code}`: reserves one use of a discount code for the caller's next invoice.
import { Type } from '@sinclair/typebox';
import { reserveDiscount } from '../../shared/billing/reserveDiscount.ts';
import { centsText } from '../../shared/domain/billing/cents.ts';
import { requireUser } from '../auth/authParts.ts';
import { answerJson } from '../jsonAnswer.ts';
import { noteAct } from '../noteAct.ts';
import { compileReader } from '../requestReader.ts';
import { type BillingRouteParts, type BillingRouter, refusalOf } from './billingRoutes.ts';
import { DiscountCode } from './discountCode.ts';

const readBody = compileReader(Type.Object({ code: DiscountCode }, { expected: 'an object' }));

export function mountApplyDiscount(router: BillingRouter, parts: BillingRouteParts): void {
  router.post('/v1/billing/discount/apply', async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const { code } = readBody(await parts.readBody(ctx));
    const discount = await reserveDiscount(parts.billing, userId, code);
    const isReserved = typeof discount !== 'string';
    await noteAct(ctx, parts, { userId, action: 'discount.applied', outcome: isReserved ? 'ok' : 'refused', detail: code });
    if (!isReserved) throw refusalOf(discount);
    const { kind, value, appliesTo, expiresAtMs } = discount;
    answerJson(ctx, {
      ...{ code: discount.code, kind, value: kind === 'percent' ? value : centsText(value), applies_to: appliesTo },
      expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    });
  });
}
