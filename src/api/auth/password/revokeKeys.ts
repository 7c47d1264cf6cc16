// Revokes the keys of a user whose password was reset, those that existed by then. The reset itself has raised the user's
// epoch of keys, so that none of them works from that moment on; this gives their places back. A process that dies in between leaves
// a mark: the next login ends the work.
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { recordAudit } from '../../http/audited.ts';
import type { AuthParts } from '../authParts.ts';

/** Does nothing for a user without the mark. */
export async function revokeMarkedKeys(
  ctx: RouteContext,
  parts: Pick<AuthParts, 'keys' | 'users' | 'credentials' | 'audit' | 'log' | 'now'>,
  user: User,
): Promise<void> {
  if (user.keysToRevoke !== true) return;
  const { keys, users, credentials, now } = parts;
  const digests = await keys.revokeAll(user._id, new Date(now()), user.keyEpoch ?? 0);
  await users.keysRevoked(user);
  await credentials.announceChange(user._id, digests);
  const act = { userId: user._id, action: 'api_key.revoked', actor: 'reset link', detail: `all (${digests.length})` } as const;
  if (digests.length > 0) await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
}
