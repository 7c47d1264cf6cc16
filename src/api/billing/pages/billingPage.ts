// GET /billing: where payers come back to from the payment provider: the dashboard's page, or a plain one. That says what became of the invoice that its
// address names, and nothing about its user: the invoice's random id is the only credential.

import { Type } from '@sinclair/typebox';
import type { Invoice } from '../../../shared/billing/invoiceStore.ts';
import { centsText } from '../../../shared/domain/billing/terms.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { endpoint } from '../../http/endpoint.ts';
import { answerPage } from '../../http/pages.ts';
import type { DashboardPart } from '../../http/staticFile.ts';
import type { BillingRouteParts } from '../billingRoutes.ts';

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
