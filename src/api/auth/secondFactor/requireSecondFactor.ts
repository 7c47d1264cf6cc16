// Asks for the second factor of users who have one: at login, and before acts that a stolen access token must not be
// enough for. A session in which it was checked a moment ago is not asked again.
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { networkOf, type RouteContext, requireToken } from '../../access/requestContext.ts';
import { recordAudit } from '../../http/audited.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import type { Guesser } from '../guessLimits.ts';
import type { LiveUser } from '../session/requireLiveUser.ts';
import type { CodeSender, CodeUse } from './secondFactors.ts';

/** How long a session counts as checked, ms. */
const FRESH_MS = 15 * MINUTE_MS;

/** The error codes of an endpoint that may ask for it. */
export const SECOND_FACTOR_ERRORS = ['second_factor_required', 'invalid_second_factor'] as const;

/**
 * At login, after the password was right.
 * @returns when the second factor was checked; undefined for a user without one
 * @throws {RequestError} 401 without a code, or with a wrong one; 429 after too many wrong ones
 */
export async function checkLogin(
  ctx: RouteContext,
  parts: AuthParts,
  { user, code, guesser }: { user: User; code: string | undefined; guesser: Pick<Guesser, 'deviceId'> },
): Promise<Date | undefined> {
  if ((await parts.secondFactors.find(user._id)) === undefined) return undefined;
  const refused = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
  if (code === undefined) {
    await recordAudit(ctx, parts, { ...refused, detail: 'no second factor' });
    throw required();
  }
  // A network is known by the link of a password mail too: a thief of the mailbox would have as many as they like.
  const { deviceId } = guesser;
  const sender: CodeSender =
    deviceId === undefined
      ? { subject: `network:${networkOf(ctx)}`, isKnown: false }
      : { subject: `device:${deviceId}`, isKnown: true };
  try {
    await use(ctx, parts, user, await parts.secondFactors.check(user._id, code, sender));
  } catch (error) {
    if (error instanceof RequestError && error.code === 'invalid_second_factor') {
      await recordAudit(ctx, parts, { ...refused, detail: 'second factor' });
      sendNotice(ctx, parts, { user, kind: 'second_factor.refused' });
    }
    throw error;
  }
  return new Date(parts.now());
}

/**
 * Before an act of the holder of an access token.
 * @param always also where the session was checked a moment ago
 * @throws {RequestError} as `checkLogin`
 */
export async function requireSecondFactor(
  ctx: RouteContext,
  parts: AuthParts,
  { user, session, code, always = false }: LiveUser & { code: string | undefined; always?: boolean },
): Promise<void> {
  if ((await parts.secondFactors.find(user._id)) === undefined) return;
  const checkedMs = session.secondFactorAt?.getTime() ?? 0;
  if (!always && parts.now() - checkedMs < FRESH_MS) return;
  if (code === undefined) throw required();
  await use(ctx, parts, user, await parts.secondFactors.check(user._id, code, holderOf(ctx)));
  await parts.sessions.noteSecondFactor(session._id, new Date(parts.now()));
}

/** The guesses of a session count apart from those of others. */
export function holderOf(ctx: RouteContext): CodeSender {
  return { subject: `session:${requireToken(ctx).sessionId}`, isKnown: true };
}

async function use(ctx: RouteContext, parts: AuthParts, user: User, { recoveryLeft }: CodeUse): Promise<void> {
  if (recoveryLeft === undefined) return;
  await recordAudit(ctx, parts, {
    userId: user._id,
    action: 'second_factor.recovery_used',
    outcome: 'ok',
    detail: `${recoveryLeft} left`,
  });
  sendNotice(ctx, parts, { user, kind: 'recovery_code.used', subject: String(recoveryLeft) });
}

const required = (): RequestError =>
  new RequestError(401, 'second_factor_required', 'Send a code of your authenticator, or a recovery code, as `code`.');
