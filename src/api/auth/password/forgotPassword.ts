// POST /v1/auth/forgot-password `{email}`: sends a mail with a link to set a new password, if a user has that
// address. The answer is the same for any address. It does not wait for the work that depends on the address: the
// look-up, the token, the mail.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { digestOf } from '../../access/credentials.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { Message } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { compileReader } from '../../http/requestReader.ts';
import { countAccount, countAddress } from '../attemptLimits.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { EmailText, toEmail } from '../credentialsBody.ts';
import { recordAudit } from '../recordAudit.ts';

const TOKEN_BYTES = 32;
const TOKEN_TTL_MINUTES = 30;

const readBody = compileReader(Type.Object({ email: EmailText }, { expected: 'an object' }));

export const forgotPasswordEndpoint = endpoint({
  id: 'forgotPassword',
  method: 'post',
  path: '/v1/auth/forgot-password',
  tag: 'Accounts',
  summary: 'A mail with a link to set a new password, if somebody has this address.',
  credential: 'none',
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com' } } },
  answer: { about: 'The same for any address.', schema: Message },
  errors: { 503: ['busy'] },
});

export function mountForgotPassword(router: AuthRouter, parts: AuthParts): void {
  router.post(forgotPasswordEndpoint.path, async (ctx) => {
    const email = toEmail(readBody(await parts.readBody(ctx)).email);
    await countAddress(ctx, parts, 'forgot');
    await countAccount(ctx, parts, 'forgot', email);
    const isTaken = parts.background.start({
      ...{ name: 'a mail to reset a password', requestId: ctx.state.request.requestId },
      run: () => sendLink(ctx, parts, email),
    });
    if (!isTaken) {
      throw new RequestError(503, 'busy', 'Too many requests at the moment. Try again in a few seconds.', { 'Retry-After': '3' });
    }
    answerJson(ctx, { message: 'If somebody has this address here, a mail with a link to set a new password is on its way.' });
  });
}

/** A token that never arrived does no harm: it is known to no client and expires. */
async function sendLink(ctx: RouteContext, parts: AuthParts, email: string): Promise<void> {
  const { users, mailer, config, now } = parts;
  const user = await users.findByEmail(email);
  if (user === null) return;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = new Date(now() + TOKEN_TTL_MINUTES * 60_000);
  await users.addResetToken(user._id, { digest: digestOf(token), expiresAt });
  const { requestId } = ctx.state.request;
  const act = { userId: user._id, action: 'password.reset_requested', actor: 'anonymous', once: requestId } as const;
  await recordAudit(ctx, parts, { ...act, outcome: 'ok' });
  await mailer({ to: user.email, subject: 'Set a new password', text: mailText(linkOf(config.PASSWORD_RESET_URL, token)) });
}

const mailText = (link: string): string => `Somebody, hopefully you, has asked for a new password for the account of this address.
To set one, open this link within ${TOKEN_TTL_MINUTES} minutes. It works once:

${link}

If it was not you, do nothing: your password stays as it is.`;

function linkOf(base: string, token: string): string {
  const link = new URL(base);
  link.searchParams.set('token', token);
  return link.href;
}
