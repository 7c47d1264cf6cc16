// The verification of an e-mail address: the mail with its link, and the endpoints that send it again and take its token.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { HOUR_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { digestOf } from '../access/credentials.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { Message } from '../contract/answerValues.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { accountOf, countAddress, requireRoom } from './acts/attemptLimits.ts';
import { LinkToken } from './acts/credentialsBody.ts';
import { sendNotice } from './acts/notices.ts';
import { asksForVerified, isVerified, requireUser } from './acts/userChecks.ts';
import { linkOf } from './linkPages.ts';
import type { AuthParts } from './parts/authParts.ts';
import { mailboxOf } from './parts/trials.ts';

// Mails the link that shows that an e-mail address is its user's. A mailbox gets a few an hour, however often strangers
// register with its address, and in however many ways they write it.

const TOKEN_BYTES = 32;
const LINK_HOURS = 24;
const MAILS_PER_HOUR = 5;

/** Counts a mail to a mailbox. */
const verificationCharge = ({ email }: Pick<User, 'email'>) => ({
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
async function mailLink(ctx: RouteContext, parts: AuthParts, user: User): Promise<void> {
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

/** POST /v1/auth/resend-verification: mails another link to the address of the token's user. Earlier links stay valid. */
export const resendVerificationEndpoint = endpoint({
  id: 'resendVerification',
  method: 'post',
  path: '/v1/auth/resend-verification',
  tag: 'Users',
  summary: 'Mails another link to verify the e-mail address.',
  description: 'Five mails an hour. Links that were mailed before stay valid for their 24 hours.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The mail is on its way.', schema: Message },
  errors: { 409: ['email_verified'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const user = await requireUser(ctx, parts);
    if (isVerified(user)) throw new RequestError(409, 'email_verified', 'This e-mail address is verified already.');
    await requireRoom(ctx, parts, parts.hourLimit, [verificationCharge(user)]);
    await mailLink(ctx, parts, user);
    await recordAudit(ctx, parts, { userId: user._id, action: 'email.verification_requested', outcome: 'ok' });
    answerJson(ctx, { message: 'A mail with a link to verify your e-mail address is on its way.' });
  },
});

// POST /v1/auth/verify-email `{token}`: the token of a mail shows that its address is the user's. It works once.

const readBody = compileReader(Type.Object({ token: LinkToken }, { expected: 'an object' }));

export const verifyEmailEndpoint = endpoint({
  id: 'verifyEmail',
  method: 'post',
  path: '/v1/auth/verify-email',
  tag: 'Users',
  summary: 'Verifies an e-mail address with the token of the mail.',
  credential: 'none',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { link: { token: 'the token of the link in the mail' } } },
  answer: { about: 'The address is verified.', schema: Message },
  errors: { 400: ['invalid_verification_token'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { users, now } = parts;
    const { token } = readBody(await parts.readBody(ctx));
    await countAddress(ctx, parts, 'verify');
    const user = await users.verifyEmail(digestOf(token), new Date(now()));
    if (user === null) {
      const text = `This link is not valid, was used before, or is older than ${LINK_HOURS} hours.`;
      throw new RequestError(400, 'invalid_verification_token', text);
    }
    await recordAudit(ctx, parts, { userId: user._id, action: 'email.verified', outcome: 'ok', actor: 'verification link' });
    sendNotice(ctx, parts, { user, kind: 'email.verified' });
    answerJson(ctx, { message: 'The e-mail address is verified.' });
  },
});
