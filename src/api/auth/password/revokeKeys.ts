// Revokes all keys of a user whose password was reset. The reset itself has marked the user, so that no key works from
// that moment on; this removes the keys and then the mark. A process that dies in between leaves the mark: the next
// login ends the work.
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import type { AuthParts } from '../authParts.ts';
import { recordAudit } from '../recordAudit.ts';

/** Does nothing for a user without the mark. */
export async function revokeMarkedKeys(ctx: RouteContext, parts: AuthParts, user: User): Promise<void> {
  if (user.keysToRevoke !== true) return;
  const { keys, users, credentials, now } = parts;
  const digests = await keys.revokeAll(user._id, new Date(now()));
  await users.keysRevoked(user._id);
  await credentials.announceChange(user._id, digests);
  const act = { userId: user._id, action: 'api_key.revoked', actor: 'reset link', detail: `all (${digests.length})` } as const;
  if (digests.length > 0) await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
}
