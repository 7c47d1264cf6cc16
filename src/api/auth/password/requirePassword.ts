// Requires the password where an access token alone is not enough. The check counts like a login attempt, because a
// stolen token must not be a way to guess the password.
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { countAccount } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { recordAudit } from '../recordAudit.ts';

/** @throws {RequestError} 401 when the password is wrong, 429 after too many attempts */
export async function requirePassword(
  ctx: RouteContext,
  parts: AuthParts,
  { user, password, action }: { user: User; password: string; action: 'password.change' | 'account.deleted' },
): Promise<void> {
  await countAccount(ctx, parts, 'password', user.email);
  if (await parts.passwords.verify(password, user.passwordHash)) return;
  await recordAudit(ctx, parts, { userId: user._id, action, outcome: 'refused' });
  throw new RequestError(401, 'invalid_credentials', 'The password is wrong.');
}
