// POST /v1/auth/forgot-password `{email}`: sends a mail with a link to set a new password, if a user has that
// address. The answer is the same for any address. It does not wait for the work that depends on the address: the
// look-up, the token, the mail. A user has a few links in force at most, and while there are so many no other is
// mailed: strangers can neither fill a mailbox nor use up what its owner may ask for, because a link that works is in it.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { MINUTE_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import { digestOf } from '../../access/credentials.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { Message } from '../../contract/answerValues.ts';
import { HEAVY } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { countAccount, countAddress } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { EmailText, toEmail } from '../credentialsBody.ts';
import { linkOf } from './linkOf.ts';

const TOKEN_BYTES = 32;
const TOKEN_TTL_MINUTES = 30;

const readBody = compileReader(Type.Object({ email: EmailText }, { expected: 'an object' }));

export const forgotPasswordEndpoint = endpoint({
  id: 'forgotPassword',
  method: 'post',
  path: '/v1/auth/forgot-password',
  tag: 'Users',
  summary: 'A mail with a link to set a new password, if somebody has this address.',
  credential: 'none',
  price: HEAVY,
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com' } } },
  answer: { about: 'The same for any address.', schema: Message },
  errors: { 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const email = toEmail(readBody(await parts.readBody(ctx)).email);
    await countAddress(ctx, parts, 'forgot');
    await countAccount(ctx, parts, 'forgot', email);
    const isTaken = parts.background.start({
      ...{ name: 'a link to reset a password', requestId: ctx.state.request.requestId },
      run: () => sendLink(ctx, parts, email),
    });
    if (!isTaken) {
      throw new RequestError(503, 'busy', 'Too many requests at the moment. Try again in a few seconds.', { 'Retry-After': '3' });
    }
    answerJson(ctx, { message: 'If somebody has this address here, a mail with a link to set a new password is on its way.' });
  },
});

/** A token that never arrived does no harm: it is known to no client and expires. */
async function sendLink(ctx: RouteContext, parts: AuthParts, email: string): Promise<void> {
  const { users, mails, config, log, now } = parts;
  const user = await users.findByEmail(email);
  if (user === null) return;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(now() + TOKEN_TTL_MINUTES * MINUTE_MS);
  const { requestId } = ctx.state.request;
  if (!(await users.addResetToken(user._id, { digest: digestOf(token), expiresAt }, new Date(now())))) {
    log.info({ requestId, userId: user._id }, 'no further link is mailed: several that were mailed are still in force');
    return;
  }
  const act = { userId: user._id, action: 'password.reset_requested', actor: 'anonymous', once: requestId } as const;
  await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
  const text = mailText(linkOf(config.PASSWORD_RESET_URL, token));
  mails.send({ to: user.email, subject: 'Set a new password', text }, { name: 'a mail to reset a password', requestId });
}

const mailText = (link: string): string => `Somebody, hopefully you, has asked for a new password for the account of this address.
To set one, open this link within ${TOKEN_TTL_MINUTES} minutes. It works once:

${link}

If it was not you, do nothing: your password stays as it is.`;
