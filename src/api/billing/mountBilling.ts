// Mounts the endpoints below /v1/billing. A new one is a file of its own and a line here.
import type { StaticFile } from '../http/pages/staticFile.ts';
import { mountApplyDiscount } from './applyDiscount.ts';
import type { BillingRouteParts, BillingRouter } from './billingRoutes.ts';
import { mountCancelSubscription } from './cancelSubscription.ts';
import { mountListInvoices } from './listInvoices.ts';
import { mountListPlans } from './listPlans.ts';
import { mountBillingPage } from './pages/billingPage.ts';
import { mountTestPayment } from './pages/testPayment.ts';
import { mountShowSubscription } from './showSubscription.ts';
import { mountStripeWebhook } from './stripeWebhook.ts';
import { mountSubscribe } from './subscribe.ts';

/** @param page of the dashboard, to which payers then come back */
export function mountBilling(router: BillingRouter, parts: BillingRouteParts, page?: StaticFile): void {
  mountListPlans(router, parts);
  mountShowSubscription(router, parts);
  mountSubscribe(router, parts);
  mountListInvoices(router, parts);
  mountApplyDiscount(router, parts);
  mountCancelSubscription(router, parts);
  mountTestPayment(router, parts);
  mountStripeWebhook(router, parts);
  mountBillingPage(router, parts, page);
}
