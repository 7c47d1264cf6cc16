// The endpoints below /v1/billing, and the pages of payers.

import type { MountedEndpoint } from '../../api/http/endpoint.ts';
import type { DashboardPart } from '../../api/http/staticFile.ts';
import type { BillingRouteParts } from './endpoints/billingRoutes.ts';
import { listInvoicesEndpoint, subscribeEndpoint } from './endpoints/invoices.ts';
import { billingPageEndpoint, payTestPaymentEndpoint, showTestPaymentEndpoint } from './endpoints/pages.ts';
import { applyDiscountEndpoint, listPlansEndpoint } from './endpoints/plans.ts';
import { stripeWebhookEndpoint } from './endpoints/stripe.ts';
import { cancelSubscriptionEndpoint, showSubscriptionEndpoint } from './endpoints/subscription.ts';

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
