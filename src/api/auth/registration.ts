// Registration: the endpoint, and the user that it makes.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { networkOf, type RequestContext } from '../access/requestContext.ts';
import { openAccount } from '../accounts/accountGateway.ts';
import { exactly, UserId } from '../contract/answerValues.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { countAddress } from './acts/attemptLimits.ts';
import { compileCredentials, NewPassword } from './acts/credentialsBody.ts';
import { startVerification } from './email.ts';
import type { AuthParts } from './parts/authParts.ts';
import { refuseWeakPassword } from './parts/passwords.ts';
import { beginSession, loginFields, toLoginAnswer } from './sessionLife.ts';

// Makes the user of a registration. Of registrations of one mailbox at once the trial's record decides which goes first: the
// others wait for its user, so none of them takes the address and leaves the trial to a registration that is refused.

/** How often, and after which pause, ms, a registration looks whether the one before it has made its user. */
const TRIES = 40;
const LOOK_AGAIN_MS = 50;

export type MakeUserParts = Pick<AuthParts, 'users' | 'passwords' | 'trials' | 'config' | 'now'>;

/**
 * @param given.id the user's id; a user who already has it was made by the same request, which died before its answer
 * @throws {RequestError} 409 when the address is taken, 503 while another registration of the mailbox is under way, or has died in
 *   the last minute
 */
export async function makeUser(
  parts: MakeUserParts,
  given: { id: string; email: string; password: string; network: string },
): Promise<User> {
  const { users, passwords } = parts;
  const { id, email, password, network } = given;
  const place = { subject: network, isKnown: false };
  const known = await users.findByEmail(email);
  if (known?._id === id && (await passwords.verify(password, known.passwordHash, place))) return known;
  if (known) throw emailTaken();
  const passwordHash = await passwords.hash(password, place);
  const hasTrial = await takeTrial(parts, { _id: id, email });
  const user = newUser(parts, { _id: id, email, passwordHash }, { hasTrial });
  if (!(await users.insert(user))) throw emailTaken();
  return user;
}

/** @returns false when the mailbox had a trial */
async function takeTrial({ trials, now }: MakeUserParts, user: Pick<User, '_id' | 'email'>): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    const taken = await trials.take(user, new Date(now()));
    if (taken !== 'underWay') return taken === 'taken';
    await pause(LOOK_AGAIN_MS);
  }
  throw new RequestError(503, 'busy', 'Another registration of this address is under way. Try again in a minute.', {
    'Retry-After': '60',
  });
}

const emailTaken = (): RequestError => new RequestError(409, 'email_taken', 'This e-mail address is registered already.');

function newUser(
  { config, now }: MakeUserParts,
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

// POST /v1/auth/register `{email, password}`: makes a user with an address of its own, a trial, and an account with 10,000 USD;
// a mailbox that had a trial gets no second one. A mail with a link asks whether the address is the user's.

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
  handle: (parts: AuthParts) => async (ctx) => {
    const { idempotency } = parts;
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
      await openFirst(parts, user, ctx.state.request);
      const session = await beginSession(ctx, parts, user);
      const { device_token: _unused, ...answer } = await toLoginAnswer(user, session, parts);
      return { ...answer, user_id: user._id, email };
    });
    answerJson(ctx, answer);
  },
});

/** The user exists now, also when this fails: the first command opens an account that is not open yet. */
async function openFirst({ accounts, log }: AuthParts, user: User, { requestId, trace }: RequestContext): Promise<void> {
  try {
    await openAccount(accounts, user.address, { requestId, trace });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    log.warn({ requestId, userId: user._id, code: error.code }, 'a new account is not open yet');
  }
}
