// POST /v1/auth/register `{email, password}`: makes a user with an address of its own, a trial, and an account with
// 10,000 USD; a mailbox that had a trial gets no second one. A mail with a link asks whether the address is the user's.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { networkOf } from '../../access/clientAddress.ts';
import { exactly, UserId } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { countAddress } from '../attemptLimits.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { compileCredentials, NewPassword } from '../credentialsBody.ts';
import { startVerification } from '../email/sendVerification.ts';
import { loginFields, toLoginAnswer } from '../loginAnswer.ts';
import { refuseWeakPassword } from '../password/weakPasswords.ts';
import { recordAudit } from '../recordAudit.ts';
import { beginSession } from './beginSession.ts';

const DAY_MS = 86_400_000;

const readBody = compileCredentials(NewPassword);

export const registerEndpoint = endpoint({
  id: 'register',
  method: 'post',
  path: '/v1/auth/register',
  tag: 'Accounts',
  summary: 'Makes a user with a trial, and an account with 10,000 USD.',
  credential: 'none',
  body: { schema: readBody.schema, examples: { bot: { email: 'bot@example.com', password: 'a good password' } } },
  answer: {
    about: 'The user, with an access token.',
    schema: exactly({ ...loginFields, user_id: UserId, email: Type.String() }),
  },
  errors: { 400: ['weak_password'], 409: ['email_taken'], 503: ['busy'] },
  isIdempotent: true,
});

export function mountRegister(router: AuthRouter, parts: AuthParts): void {
  const { idempotency } = parts;
  router.post(registerEndpoint.path, async (ctx) => {
    const body = await parts.readBody(ctx);
    const { email, password } = readBody(body);
    refuseWeakPassword(password, email);
    await countAddress(ctx, parts, 'register');
    const asked = { scope: `register:${networkOf(ctx)}`, body };
    const answer = await idempotency.run(ctx, asked, async (seed) => {
      const user = await register(parts, { id: `user_${seed}`, email, password, network: networkOf(ctx) });
      await parts.networks.add(user, networkOf(ctx));
      const act = { userId: user._id, action: 'account.registered', outcome: 'ok', once: 'registered' } as const;
      const hasTrial = user.trialExpiresAt > user.createdAt;
      await recordAudit(ctx, parts, hasTrial ? act : { ...act, detail: 'no trial' });
      startVerification(ctx, parts, user);
      await openAccount(parts, user, ctx.state.request.requestId);
      const session = await beginSession(ctx, parts, user);
      const { device_token: _unused, ...answer } = await toLoginAnswer(user, session, parts);
      return { ...answer, user_id: user._id, email };
    });
    answerJson(ctx, answer);
  });
}

/**
 * @param given.id the user's id; a user who already has it was made by the same request, which died before its answer
 * @throws {RequestError} 409 when the address is taken
 */
async function register(
  parts: AuthParts,
  given: { id: string; email: string; password: string; network: string },
): Promise<User> {
  const { users, passwords, trials } = parts;
  const { id, email, password, network } = given;
  const place = { subject: network, isKnown: false };
  const known = await users.findByEmail(email);
  if (known?._id === id && (await passwords.verify(password, known.passwordHash, place))) return known;
  if (known) throw emailTaken();
  const passwordHash = await passwords.hash(password, place);
  const hasTrial = await trials.take({ _id: id, email }, new Date(parts.now()));
  const user = newUser(parts, { _id: id, email, passwordHash }, { hasTrial });
  if (!(await users.insert(user))) throw emailTaken();
  return user;
}

const emailTaken = (): RequestError => new RequestError(409, 'email_taken', 'This e-mail address is registered already.');

function newUser(
  { config, now }: AuthParts,
  given: Pick<User, '_id' | 'email' | 'passwordHash'>,
  { hasTrial }: { hasTrial: boolean },
): User {
  const createdAtMs = now();
  return {
    ...given,
    plan: 'basic',
    address: `0x${randomBytes(20).toString('hex')}`,
    createdAt: new Date(createdAtMs),
    trialExpiresAt: new Date(createdAtMs + (hasTrial ? config.TRIAL_DAYS * DAY_MS : 0)),
    emailVerifiedAt: null,
    subscriptionExpiresAt: null,
    schema: 1,
  };
}

/** The user exists now, also when this fails: the first command opens an account that is not open yet. */
async function openAccount({ accounts, log }: AuthParts, user: User, requestId: string): Promise<void> {
  try {
    await accounts.open(user.address, requestId);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    log.warn({ requestId, userId: user._id, code: error.code }, 'a new account is not open yet');
  }
}
