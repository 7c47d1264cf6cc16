// After a password was right: the network is known from now on, and a user who has come from elsewhere so far is told.
import type { User } from '../../../shared/mongo/userStore.ts';
import { networkOf, type RouteContext } from '../../access/requestContext.ts';
import { recordAudit } from '../../http/audited.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import type { Guesser } from '../guessLimits.ts';

/** A user of whom no network is known yet is not told: it would be all of them. */
export async function noteLogin(
  ctx: RouteContext,
  parts: AuthParts,
  { user, guesser }: { user: User; guesser: Pick<Guesser, 'isKnown'> },
): Promise<void> {
  const isNew = !guesser.isKnown && user.knownNetworks !== undefined;
  // The row makes the alert (src/features/alerts/look/followUser.ts), so the row has to exist before the network counts as known.
  if (isNew) await recordAudit(ctx, parts, { userId: user._id, action: 'login.new_device', outcome: 'ok' });
  await parts.networks.add(user, networkOf(ctx));
  if (isNew) sendNotice(ctx, parts, { user, kind: 'login.new_device' });
}
