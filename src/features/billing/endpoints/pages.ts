// Payers see these pages: the page that they come back to, and the page of a test payment.

import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../../../api/access/requestContext.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { answerPage } from '../../../api/http/pages.ts';
import type { DashboardPart } from '../../../api/http/staticFile.ts';
import type { Billing } from '../../../shared/billing/billing.ts';
import type { Invoice } from '../../../shared/billing/invoiceStore.ts';
import { payTestInvoice } from '../../../shared/billing/payments.ts';
import { TEST_PAYMENTS_PATH, type TestPayment } from '../../../shared/billing/testPayments.ts';
import { centsText } from '../../../shared/domain/billing/terms.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { BillingRouteParts } from './billingRoutes.ts';

// GET /billing: where payers come back to from the payment provider: the dashboard's page, or a plain one. That says what
// became of the invoice that its address names, and nothing about its user: the invoice's random id is the only credential.

/** An open invoice's page looks again after so many seconds: webhook or poll may tell of the payment any moment. */
const AGAIN_SECONDS = 5;
const INVOICE_ID_FORM = /^inv_[\w-]{1,64}$/;

export const billingPageEndpoint = endpoint({
  id: 'billingPage',
  method: 'get',
  path: '/billing',
  tag: 'Billing',
  summary: 'The page that payers come back to. It says what became of the invoice.',
  credential: 'none',
  price: CHEAP,
  query: Type.Object({ invoice: Type.Optional(Type.String({ description: 'Id of the invoice.' })) }),
  answer: { about: 'A page.', schema: Type.String(), contentType: 'text/html' },
  handle:
    ({ billing, dashboard }: BillingRouteParts & DashboardPart) =>
    async (ctx) => {
      if (dashboard !== undefined) return dashboard.page.answer(ctx);
      const { invoice: id } = ctx.query;
      if (id === undefined) {
        const body =
          '<p>Plans, invoices and discounts are at <code>/v1/billing</code> of the API: <a href="/docs">documentation</a>.</p>';
        return answerPage(ctx, { title: 'Billing', body });
      }
      const invoice = typeof id === 'string' && INVOICE_ID_FORM.test(id) ? await billing.invoices.find(id) : null;
      if (invoice === null) {
        return answerPage(ctx, { title: 'There is no such invoice', body: '<p>Look whether the address is complete.</p>' });
      }
      const { title, text } = SAYS[invoice.status];
      const { _id, plan, period, amountCents } = invoice;
      answerPage(ctx, {
        title,
        body: `<p>${text}</p>\n<p>Invoice ${_id}: plan ${plan}, one ${period}, ${centsText(amountCents)} USD.</p>`,
        ...(invoice.status === 'open' && { again: AGAIN_SECONDS }),
      });
    },
});

const SAYS: Readonly<Record<Invoice['status'], { title: string; text: string }>> = {
  open: {
    title: 'The payment is not here yet',
    text: 'It may take a minute until the payment provider tells us. This page looks again by itself. You may also close it.',
  },
  paid: { title: 'Paid, thank you', text: 'The plan holds from now on.' },
  expired: {
    title: 'The invoice has expired',
    text: 'It was not paid in time, and nothing was charged. Subscribe again for a new one.',
  },
  void: {
    title: 'The invoice is void',
    text: 'Another one has replaced it, or the subscription was canceled. Nothing was charged.',
  },
  refunded: { title: 'The payment was given back', text: 'It bought nothing, or its time has ended.' },
  disputed: {
    title: 'The payment is disputed',
    text: 'The payer’s bank has taken it back. The time that it paid for has ended.',
  },
};

// The page of a test payment, with a button that pays. Its secret address is the only credential. It exists only without a real
// payment provider.

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
