// The page of a test payment, with a button that pays. Its secret address is the only credential. It exists only
// without a real payment provider.

import { Type } from '@sinclair/typebox';
import type { Billing } from '../../../shared/billing/billing.ts';
import { payTestInvoice } from '../../../shared/billing/operatorActions.ts';
import { TEST_PAYMENTS_PATH, type TestPayment } from '../../../shared/billing/testPayments.ts';
import { centsText } from '../../../shared/domain/billing/terms.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { endpoint } from '../../http/endpoint.ts';
import { answerPage } from '../../http/pages.ts';
import type { BillingRouteParts } from '../billingRoutes.ts';

/** The page's address, to which its button sends too. */
const PAGE = {
  path: `${TEST_PAYMENTS_PATH}/:token`,
  tag: 'Billing',
  credential: 'none',
  price: CHEAP,
  params: Type.Object({ token: Type.String({ description: 'Names the payment; part of `pay_url`.' }) }),
  answer: { about: 'A page that says how the payment stands.', schema: Type.String(), contentType: 'text/html' },
  errors: { 404: ['not_found'] },
} as const;

export const showTestPaymentEndpoint = endpoint({
  ...PAGE,
  id: 'showTestPayment',
  method: 'get',
  summary: 'The page of a test payment; only where no real provider is.',
  handle:
    ({ billing }: BillingRouteParts) =>
    async (ctx) =>
      answerPayment(ctx, await requirePayment(ctx, billing)),
});

export const payTestPaymentEndpoint = endpoint({
  ...PAGE,
  id: 'payTestPayment',
  method: 'post',
  summary: 'Pays a test payment, as its button does.',
  handle:
    ({ billing }: BillingRouteParts) =>
    async (ctx) => {
      const { invoiceId } = await requirePayment(ctx, billing);
      await payTestInvoice(billing, invoiceId, 'provider:test');
      answerPayment(ctx, await requirePayment(ctx, billing));
    },
});

async function requirePayment(ctx: RouteContext, { test }: Pick<Billing, 'test'>): Promise<TestPayment> {
  const payment = await test?.findByToken(String(ctx.params['token']));
  if (payment == null) throw new RequestError(404, 'not_found', 'There is no such payment.');
  return payment;
}

function answerPayment(ctx: RouteContext, { state, amountCents, description, invoiceId }: TestPayment): void {
  const says = {
    open: '<form method="post"><button>Pay</button></form>',
    paid: '<p>Paid. Your plan holds from now on.</p>',
    gone: '<p>This payment can no longer be made.</p>',
    refunded: '<p>This payment was given back.</p>',
  };
  const back = `<p><a href="/billing?invoice=${invoiceId}">What became of the invoice</a></p>`;
  answerPage(ctx, {
    title: 'This is a test payment',
    body: `<p>No money moves. ${description}: ${centsText(amountCents)} USD.</p>\n${says[state]}\n${back}`,
  });
}
