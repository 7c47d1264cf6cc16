// Mails the link that shows that an e-mail address is its user's. A mailbox gets a few an hour, however often strangers
// register with its address, and in however many ways they write it.
import { randomBytes } from 'node:crypto';
import { HOUR_MS } from '../../../shared/domain/units.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { digestOf } from '../../access/credentials.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { accountOf } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { linkOf } from '../password/linkOf.ts';
import { mailboxOf } from './mailbox.ts';
import { asksForVerified } from './requireVerified.ts';

const TOKEN_BYTES = 32;
export const LINK_HOURS = 24;
const MAILS_PER_HOUR = 5;

/** Counts a mail to a mailbox. */
export const verificationCharge = ({ email }: Pick<User, 'email'>) => ({
  subject: `verification-mail:${accountOf(mailboxOf(email))}`,
  cap: MAILS_PER_HOUR,
  cost: 1,
});

/**
 * Mails a link after a registration, if the mailbox has room this hour; no answer waits for it. Where mails become files and
 * no verified address is asked for, as on a laptop, no link is made before the user asks for one.
 */
export function startVerification(ctx: RouteContext, parts: AuthParts, user: User): void {
  const { background, config, hourLimit, log } = parts;
  if (config.SMTP_URL === '' && !asksForVerified(config)) return;
  const { requestId } = ctx.state.request;
  const run = async (): Promise<void> => {
    if ((await hourLimit.charge([verificationCharge(user)])).isGranted) await mailLink(ctx, parts, user);
    else log.info({ requestId, userId: user._id }, 'no link is mailed: this address has had several this hour');
  };
  if (!background.start({ name: 'a link to verify an e-mail address', requestId, run }))
    log.error({ requestId, userId: user._id }, 'no link is mailed, for too much work waits');
}

/** Makes a link and puts its mail into the queue. */
export async function mailLink(ctx: RouteContext, parts: AuthParts, user: User): Promise<void> {
  const { users, mails, config, now } = parts;
  const { requestId } = ctx.state.request;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await users.addVerifyToken(user._id, { digest: digestOf(token), expiresAt: new Date(now() + LINK_HOURS * HOUR_MS) });
  const mail = { to: user.email, subject: 'Verify your e-mail address', text: mailText(linkOf(config.VERIFY_EMAIL_URL, token)) };
  mails.send(mail, { name: 'a mail to verify an address', requestId });
}

const mailText = (link: string): string => `An account was registered with this address.
If it was you, open this link within ${LINK_HOURS} hours and confirm:

${link}

If it was not you, do not open it: without it the account gets no API key. To take the account over, ask for a new password with this address.`;
