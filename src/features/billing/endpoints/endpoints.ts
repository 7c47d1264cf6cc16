// The endpoints below /v1/billing, and the pages of payers.

import type { MountedEndpoint } from '../../../api/http/endpoint.ts';
import type { DashboardPart } from '../../../api/http/staticFile.ts';
import type { BillingRouteParts } from './billingRoutes.ts';
import { listInvoicesEndpoint, subscribeEndpoint } from './invoices.ts';
import { billingPageEndpoint, payTestPaymentEndpoint, showTestPaymentEndpoint } from './pages.ts';
import { applyDiscountEndpoint, listPlansEndpoint } from './plans.ts';
import { stripeWebhookEndpoint } from './stripe.ts';
import { cancelSubscriptionEndpoint, showSubscriptionEndpoint } from './subscription.ts';

type Parts = BillingRouteParts & DashboardPart;

/** @param options.hasTestPayments whether payments are tests here */
export const billingEndpoints = ({ hasTestPayments }: { hasTestPayments: boolean }): readonly MountedEndpoint<Parts>[] => [
  listPlansEndpoint,
  showSubscriptionEndpoint,
  subscribeEndpoint,
  listInvoicesEndpoint,
  applyDiscountEndpoint,
  cancelSubscriptionEndpoint,
  stripeWebhookEndpoint,
  billingPageEndpoint,
  ...(hasTestPayments ? [showTestPaymentEndpoint, payTestPaymentEndpoint] : []),
];
