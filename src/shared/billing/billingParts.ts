// The parts that billing needs, in every process that does some of it: API nodes, jobs and operators' commands.

import type { Config } from '../config.ts';
import type { FormatSource } from '../domain/formats.ts';
import type { Logger } from '../logger.ts';
import type { AuditLog } from '../mongo/auditLog.ts';
import type { KeyStore } from '../mongo/keyStore.ts';
import type { UserStore } from '../mongo/userStore.ts';
import type { Redis } from '../redis/redis.ts';
import type { PaymentProvider } from './payments/paymentProvider.ts';
import type { DiscountStore } from './stores/discountStore.ts';
import type { InvoiceStore } from './stores/invoiceStore.ts';
import type { SubscriptionStore } from './stores/subscriptionStore.ts';

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
