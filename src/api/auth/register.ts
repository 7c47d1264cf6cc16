// POST /v1/auth/register `{email, password}`: a user with an address of its own, a trial, and an account with 10,000 USD.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/userStore.ts';
import { answerJson } from '../jsonAnswer.ts';
import type { AuthParts, AuthRouter } from './authParts.ts';
import { compileCredentials } from './credentialsBody.ts';
import { toLoginAnswer } from './loginAnswer.ts';

const DAY_MS = 86_400_000;

const readBody = compileCredentials(Type.String({ minLength: 8, maxLength: 128, expected: 'a text of 8 to 128 characters' }));

export function mountRegister(router: AuthRouter, parts: AuthParts): void {
  const { users, passwords, tokens } = parts;
  router.post('/v1/auth/register', async (ctx) => {
    const { email, password } = readBody(await parts.readBody(ctx));
    if (await users.findByEmail(email)) throw emailTaken();
    const user = newUser(parts, { email, passwordHash: await passwords.hash(password) });
    if (!(await users.insert(user))) throw emailTaken();
    await openAccount(parts, user, ctx.state.visit.requestId);
    answerJson(ctx, { ...(await toLoginAnswer(user, tokens)), user_id: user._id, email });
  });
}

const emailTaken = (): RequestError => new RequestError(409, 'email_taken', 'This e-mail address is registered already.');

function newUser({ config, now }: AuthParts, given: Pick<User, 'email' | 'passwordHash'>): User {
  const createdAtMs = now();
  return {
    _id: `user_${randomBytes(12).toString('hex')}`,
    ...given,
    plan: 'basic',
    address: `0x${randomBytes(20).toString('hex')}`,
    createdAt: new Date(createdAtMs),
    trialExpiresAt: new Date(createdAtMs + config.TRIAL_DAYS * DAY_MS),
    subscriptionExpiresAt: null,
    schema: 1,
  };
}

/** The user exists now, whatever becomes of this: an account that is not open yet is opened by its first command. */
async function openAccount({ accounts, log }: AuthParts, user: User, requestId: string): Promise<void> {
  try {
    await accounts.open(user.address, requestId);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    log.warn({ requestId, userId: user._id, code: error.code }, 'a new account is not open yet');
  }
}
