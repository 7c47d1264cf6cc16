// What billing is made of, in every process that does some of it: API nodes, jobs, operators' commands.
import type { AuditLog } from '../auditLog.ts';
import type { Config } from '../config.ts';
import type { KeyStore } from '../keyStore.ts';
import type { Logger } from '../logger.ts';
import type { Redis } from '../redis.ts';
import type { UserStore } from '../userStore.ts';
import type { DiscountStore } from './discountStore.ts';
import type { InvoiceStore } from './invoiceStore.ts';
import type { PaymentProvider } from './paymentProvider.ts';
import type { SubscriptionStore } from './subscriptionStore.ts';

export interface BillingParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly redis: Redis;
  readonly users: UserStore;
  readonly keys: KeyStore;
  readonly subscriptions: SubscriptionStore;
  readonly invoices: InvoiceStore;
  readonly discounts: DiscountStore;
  readonly audit: AuditLog;
  readonly provider: PaymentProvider;
}
