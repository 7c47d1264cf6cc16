// What every login asks for: the password, and the second factor of users who have one. Neither the text nor the time of a
// refusal shows whether the address or the password was wrong. A code is asked for after the password was right.
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { recordAudit } from '../../http/audited.ts';
import type { AuthParts } from '../authParts.ts';
import { compileLogin } from '../credentialsBody.ts';
import { noteLogin } from '../devices/noteLogin.ts';
import { countLogin, type Guesser } from '../guessLimits.ts';
import { revokeMarkedKeys } from '../password/revokeKeys.ts';
import { checkLogin } from '../secondFactor/requireSecondFactor.ts';

/** The body of a login. */
export const readLogin = compileLogin();

/** Who has logged in. */
export interface PassedLogin {
  readonly user: User;
  readonly guesser: Guesser;
  /** When a second factor was checked; absent for users without one. */
  readonly secondFactorAt?: Date;
}

/**
 * Reads the body and checks it.
 * @param detail of the audit row
 * @throws {RequestError} 401, 429
 */
export async function passLogin(ctx: RouteContext, parts: AuthParts, detail?: string): Promise<PassedLogin> {
  const { passwords, background } = parts;
  const { email, password, device_token: deviceToken, code } = readLogin(await parts.readBody(ctx));
  const { user, guesser } = await countLogin(ctx, parts, { email, deviceToken });
  const isRight = await passwords.verify(password, user?.passwordHash, guesser.place);
  if (user === null || !isRight) {
    // The answer does not wait for the row: it would come later for a known user than for an unknown one.
    if (user !== null) {
      const failed = { userId: user._id, action: 'login', outcome: 'refused', actor: 'anonymous' } as const;
      const run = (): Promise<void> => recordAudit(ctx, parts, failed);
      background.start({ name: 'noting a failed login', requestId: ctx.state.request.requestId, run });
    }
    throw new RequestError(401, 'invalid_credentials', 'The e-mail address or the password is wrong.');
  }
  const secondFactorAt = await checkLogin(ctx, parts, { user, code, guesser });
  await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok', ...(detail !== undefined && { detail }) });
  await revokeMarkedKeys(ctx, parts, user);
  await noteLogin(ctx, parts, { user, guesser });
  return { user, guesser, ...(secondFactorAt && { secondFactorAt }) };
}
