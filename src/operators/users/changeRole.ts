// Gives a user a role, or takes it away. Whether a user has one is read with each request that asks for it, so a change holds at once. The
// rows are written first, and a repeated change announces itself again: whatever dies in between, the same command completes it.

import { announceUserChange } from '../../shared/access/userChange.ts';
import { OPERATORS } from '../../shared/mongo/auditLog.ts';
import type { UserRole } from '../../shared/mongo/userRoles.ts';
import type { OperatorParts } from '../operatorParts.ts';
import { findUser } from './findUser.ts';

/** @returns the user, and whether this call has changed anything @throws {Unknown} when no user has that name */
export async function changeRole(
  parts: OperatorParts,
  { name, role, isGranted }: { name: string | undefined; role: UserRole; isGranted: boolean },
): Promise<{ readonly id: string; readonly email: string; readonly isChanged: boolean }> {
  const { billing, redis } = parts;
  const { _id: userId, email, roles = [] } = await findUser(name, parts);
  const isChanged = roles.includes(role) !== isGranted;
  if (isChanged) {
    const action = isGranted ? 'role.granted' : 'role.revoked';
    const act = { action, outcome: 'ok', actor: 'operator', address: null, timeMs: billing.now() } as const;
    await billing.audit.write({ ...act, userId, detail: role });
    await billing.audit.write({ ...act, userId: OPERATORS, detail: `${role} ${userId}` });
    await billing.users.setRole(userId, role, isGranted);
  }
  await announceUserChange(redis, { userId, digests: [] });
  return { id: userId, email, isChanged };
}
