// Writes an operator's act into the audit log of the account's user, who can read it there.

import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { OperatorParts } from '../operatorParts.ts';

/** @returns a line for the operator: in whose log it stands, or that the account has no user any more */
export async function auditOperator(
  { billing, mongo }: OperatorParts,
  act: { accountId: string; action: AuditAction; detail: string },
): Promise<string> {
  const { accountId, action, detail } = act;
  const user = await mongo.db.collection<User>(collections.users).findOne({ address: accountId });
  if (user === null) return `No user has the account ${accountId}: no audit row was written.`;
  const timeMs = billing.now();
  await billing.audit.write({
    ...{ userId: user._id, action, outcome: 'ok', actor: 'operator', address: null, timeMs, detail },
  });
  return `The audit log of ${user.email} has it as ${action}.`;
}
