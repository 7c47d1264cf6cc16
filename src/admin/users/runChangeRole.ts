// What `bin/admin grant-role` and `bin/admin revoke-role` have in common: the words, and the sentence about what was done.
import { type OperatorParts, UsageError } from '../../operators/operatorParts.ts';
import { changeRole } from '../../operators/users/changeRole.ts';
import { USER_ROLES, type UserRole } from '../../shared/mongo/userRoles.ts';
import type { Report } from '../adminCommand.ts';

const isRole = (word: string | undefined): word is UserRole => USER_ROLES.some((role) => role === word);

/** @throws {UsageError} for other words than a user and a role */
export async function runChangeRole(
  [name, role, ...more]: readonly string[],
  parts: OperatorParts,
  isGranted: boolean,
): Promise<Report> {
  if (!isRole(role) || more.length > 0) throw new UsageError(`Whom, and which role? One of ${USER_ROLES.join(', ')}.`);
  const { id, email, isChanged } = await changeRole(parts, { name, role, isGranted });
  const now = isGranted ? `${email} has the role ${role}` : `${email} has not the role ${role}`;
  return { data: { id, email, role, granted: isGranted }, lines: [isChanged ? `${now} from now on.` : `${now} already.`] };
}
