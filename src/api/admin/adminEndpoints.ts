import type { AdminEndpoint } from './adminEndpoint.ts';
import { confirm } from './confirm.ts';
import { letterEndpoints } from './deadLetters.ts';
import { discountEndpoints } from './discounts.ts';
import { haltedEndpoints } from './halted.ts';
import { invoiceEndpoints } from './invoices.ts';
import { machineEndpoints } from './machines.ts';
import { operatorAuditEndpoints } from './operatorAudit.ts';
import { userEndpoints } from './users.ts';

export const adminEndpoints: readonly AdminEndpoint[] = [
  confirm,
  ...userEndpoints,
  ...invoiceEndpoints,
  ...discountEndpoints,
  ...machineEndpoints,
  ...haltedEndpoints,
  ...letterEndpoints,
  ...operatorAuditEndpoints,
];
