// Whether a user's e-mail address is verified, and the check before a key is made or a second factor turned on:
// neither may keep the address's owner out. Users from before addresses were verified need none.
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';

type Verification = Pick<User, 'emailVerifiedAt'>;

export const isVerified = ({ emailVerifiedAt }: Verification): boolean => emailVerifiedAt instanceof Date;

type Asked = Pick<Config, 'REQUIRE_VERIFIED_EMAIL' | 'SMTP_URL'>;

/** Whether keys and second factors need a verified address here. */
export const asksForVerified = ({ REQUIRE_VERIFIED_EMAIL: asked, SMTP_URL }: Asked): boolean =>
  asked === 'yes' || (asked === '' && SMTP_URL !== '');

/** @throws {RequestError} 403 until the address is verified, where the deployment asks for it */
export function requireVerified({ emailVerifiedAt }: Verification, config: Asked): void {
  if (!asksForVerified(config) || emailVerifiedAt !== null) return;
  const text = 'Verify your e-mail address first: open the link in the mail, or ask for another at /v1/auth/resend-verification.';
  throw new RequestError(403, 'email_not_verified', text);
}
