// Billing: its parts, in every process that does some of it (API nodes, jobs, operators' commands), and how they are put together.
// The configuration names the payment provider; the test
// provider exists only where no other one does.
import type { Config } from '../config/config.ts';
import type { FormatSource } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import { AuditLog } from '../mongo/auditLog.ts';
import { KeyStore } from '../mongo/keyStore.ts';
import type { MongoConnection } from '../mongo/mongo.ts';
import { UserStore } from '../mongo/userStore.ts';
import type { Redis } from '../redis/redis.ts';
import { DiscountStore } from './discountStore.ts';
import { InvoiceStore } from './invoiceStore.ts';
import type { PaymentProvider } from './paymentProvider.ts';
import { StripePayments } from './stripePayments.ts';
import { SubscriptionStore } from './subscriptionStore.ts';
import { TestPayments } from './testPayments.ts';

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
  const { config, log, now, redis, formats, mongo } = shared;
  const payments =
    config.PAYMENT_PROVIDER === 'stripe'
      ? { stripe: new StripePayments(config), test: undefined }
      : { stripe: undefined, test: new TestPayments(mongo) };
  return {
    ...{ config, log, now, redis, formats, mongo },
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

export interface BillingParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly redis: Redis;
  readonly formats: FormatSource;
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly subscriptions: SubscriptionStore;
  readonly invoices: InvoiceStore;
  readonly discounts: DiscountStore;
  readonly audit: AuditLog;
  readonly provider: PaymentProvider;
}
