// Mounts the endpoints below /v1/admin, which are for operators. A new one is a file of its own, or a part of one, and a line here.
import type { AuthRouter } from '../auth/authParts.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { type AdminEndpoint, type AdminParts, adminTurns } from './adminEndpoint.ts';
import { confirm } from './confirm.ts';
import { letterEndpoints } from './deadLetters.ts';
import { discountEndpoints } from './discounts.ts';
import { haltedEndpoints } from './halted.ts';
import { invoiceEndpoints } from './invoices.ts';
import { machineEndpoints } from './machines.ts';
import { operatorAuditEndpoints } from './operatorAudit.ts';
import { userEndpoints } from './users.ts';

const ALL: readonly AdminEndpoint[] = [
  confirm,
  ...userEndpoints,
  ...invoiceEndpoints,
  ...discountEndpoints,
  ...machineEndpoints,
  ...haltedEndpoints,
  ...letterEndpoints,
  ...operatorAuditEndpoints,
];

/** For the published contract. */
export const adminEndpoints: readonly Endpoint[] = ALL.map(({ endpoint }) => endpoint);

export function mountAdmin(router: AuthRouter, parts: AdminParts): void {
  const turns = adminTurns();
  for (const { mount } of ALL) mount(router, { ...parts, ...turns });
}
