// Puts billing's parts together, the same in every process. The configuration names the payment provider; the test
// provider exists only where no other one does.

import type { Config } from '../config.ts';
import type { FormatSource } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import { AuditLog } from '../mongo/auditLog.ts';
import { KeyStore } from '../mongo/keyStore.ts';
import type { MongoConnection } from '../mongo/mongo.ts';
import { UserStore } from '../mongo/userStore.ts';
import type { Redis } from '../redis/redis.ts';
import type { BillingParts } from './billingParts.ts';
import { StripePayments } from './payments/stripePayments.ts';
import { TestPayments } from './payments/testPayments.ts';
import { DiscountStore } from './stores/discountStore.ts';
import { InvoiceStore } from './stores/invoiceStore.ts';
import { SubscriptionStore } from './stores/subscriptionStore.ts';

export interface Billing extends BillingParts {
  /** Exactly one of the two is there. */
  readonly stripe: StripePayments | undefined;
  readonly test: TestPayments | undefined;
}

export function createBilling(shared: {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly redis: Redis;
  readonly formats: FormatSource;
  readonly mongo: MongoConnection;
}): Billing {
  const { mongo, config } = shared;
  const payments =
    config.PAYMENT_PROVIDER === 'stripe'
      ? { stripe: new StripePayments(config), test: undefined }
      : { stripe: undefined, test: new TestPayments(mongo) };
  return {
    ...shared,
    users: new UserStore(mongo),
    keys: new KeyStore(mongo),
    audit: new AuditLog(mongo),
    subscriptions: new SubscriptionStore(mongo),
    invoices: new InvoiceStore(mongo),
    discounts: new DiscountStore(mongo),
    provider: payments.stripe ?? payments.test,
    ...payments,
  };
}
