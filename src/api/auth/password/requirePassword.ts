// Requires the password where an access token alone is not enough. Each session's attempts are counted apart: a stolen
// token must not be a way to guess the password, and guesses of others must not keep the owner from changing it.
import { RequestError } from '../../../shared/errors.ts';
import type { AuditAction } from '../../../shared/mongo/auditLog.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { recordAudit } from '../../http/audited.ts';
import type { AuthParts } from '../authParts.ts';
import { countHolder } from '../guessLimits.ts';

/** @throws {RequestError} 401 when the password is wrong, 429 after too many attempts */
export async function requirePassword(
  ctx: RouteContext,
  parts: AuthParts,
  { user, password, action }: { user: User; password: string; action: AuditAction },
): Promise<void> {
  await countHolder(ctx, parts, user._id);
  if (await parts.passwords.verify(password, user.passwordHash, { subject: user._id, isKnown: true })) return;
  await recordAudit(ctx, parts, { userId: user._id, action, outcome: 'refused' });
  throw new RequestError(401, 'invalid_credentials', 'The password is wrong.');
}
