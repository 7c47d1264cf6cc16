import type { AdminEndpoint } from '../../operators/endpoints.ts';
import { confirm } from '../../operators/confirm.ts';
import { letterEndpoints } from './deadLetters.ts';
import { discountEndpoints } from './discounts.ts';
import { haltedEndpoints } from './halted.ts';
import { invoiceEndpoints } from './invoices.ts';
import { machineEndpoints } from '../../operators/acts/overview.ts';
import { operatorAuditEndpoints } from '../../operators/acts/operatorAudit.ts';
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
