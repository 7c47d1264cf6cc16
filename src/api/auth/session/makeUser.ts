// Makes the user of a registration. Of registrations of one mailbox at once the trial's record decides which goes first: the others
// wait for its user, so none of them takes the address and leaves the trial to a registration that is refused.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { AuthParts } from '../authParts.ts';

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
