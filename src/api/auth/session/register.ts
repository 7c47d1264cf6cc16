// POST /v1/auth/register `{email, password}`: makes a user with an address of its own, a trial, and an account with
// 10,000 USD; a mailbox that had a trial gets no second one. A mail with a link asks whether the address is the user's.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { networkOf, type RequestContext } from '../../access/requestContext.ts';
import { exactly, UserId } from '../../contract/answerValues.ts';
import { HEAVY } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { countAddress } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { compileCredentials, NewPassword } from '../credentialsBody.ts';
import { startVerification } from '../email/sendVerification.ts';
import { loginFields, toLoginAnswer } from '../loginAnswer.ts';
import { refuseWeakPassword } from '../password/weakPasswords.ts';
import { beginSession } from './beginSession.ts';
import { makeUser } from './makeUser.ts';

const readBody = compileCredentials(NewPassword);

export const registerEndpoint = endpoint({
  id: 'register',
  method: 'post',
  path: '/v1/auth/register',
  tag: 'Users',
  summary: 'Makes a user with a trial, and an account with 10,000 USD.',
  credential: 'none',
  price: HEAVY,
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: {
    about: 'The user, with an access token.',
    schema: exactly({ ...loginFields, user_id: UserId, email: Type.String() }),
  },
  errors: { 400: ['weak_password'], 409: ['email_taken'], 503: ['busy'] },
  isIdempotent: true,
  handle: (parts: AuthParts) => {
    const { idempotency } = parts;
    return async (ctx) => {
      const body = await parts.readBody(ctx);
      const { email, password } = readBody(body);
      refuseWeakPassword(password, email);
      await countAddress(ctx, parts, 'register');
      const asked = { scope: `register:${networkOf(ctx)}`, body };
      const answer = await idempotency.run(ctx, asked, async (seed) => {
        const user = await makeUser(parts, { id: `user_${seed}`, email, password, network: networkOf(ctx) });
        await parts.networks.add(user, networkOf(ctx));
        const act = { userId: user._id, action: 'account.registered', outcome: 'ok', once: 'registered' } as const;
        const hasTrial = user.trialExpiresAt > user.createdAt;
        await recordAudit(ctx, parts, hasTrial ? act : { ...act, detail: 'no trial' });
        startVerification(ctx, parts, user);
        await openAccount(parts, user, ctx.state.request);
        const session = await beginSession(ctx, parts, user);
        const { device_token: _unused, ...answer } = await toLoginAnswer(user, session, parts);
        return { ...answer, user_id: user._id, email };
      });
      answerJson(ctx, answer);
    };
  },
});

/** The user exists now, also when this fails: the first command opens an account that is not open yet. */
async function openAccount({ accounts, log }: AuthParts, user: User, { requestId, trace }: RequestContext): Promise<void> {
  try {
    await accounts.open(user.address, { requestId, trace });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    log.warn({ requestId, userId: user._id, code: error.code }, 'a new account is not open yet');
  }
}
