// Limits bound how often an address may register, ask for password mails and use their links, and how often a password may be
// guessed. An attempt past a limit is refused.

import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { Charge } from '../../access/limits/charge.ts';
import type { RateLimit } from '../../access/limits/rateLimit.ts';
import { networkOf, type RouteContext, tellLimit } from '../../access/requestContext.ts';
import type { AuthParts } from '../parts/authParts.ts';
import type { HashPlace } from '../parts/passwords.ts';

interface AttemptParts {
  readonly rateLimit: RateLimit;
  readonly config: Pick<Config, 'AUTH_REGISTER_PER_MINUTE' | 'AUTH_LOGIN_PER_MINUTE'>;
  readonly now: () => number;
}

/** The kind of attempt; each has its own count. */
type Attempt = 'register' | 'forgot' | 'reset' | 'verify';

/** Counts one attempt of the request's network address. @throws {RequestError} 429 */
export function countAddress(ctx: Context, parts: AttemptParts, attempt: Attempt): Promise<void> {
  const subject = `${attempt}:${networkOf(ctx)}`;
  return requireRoom(ctx, parts, parts.rateLimit, [{ subject, cap: parts.config.AUTH_REGISTER_PER_MINUTE, cost: 1 }]);
}

/** Counts one attempt on an account, by its e-mail address, from the request's network. @throws {RequestError} 429 */
export function countAccount(ctx: Context, parts: AttemptParts, attempt: Attempt, email: string): Promise<void> {
  const subject = `${attempt}-account:${accountOf(email)}:${networkOf(ctx)}`;
  return requireRoom(ctx, parts, parts.rateLimit, [{ subject, cap: parts.config.AUTH_LOGIN_PER_MINUTE, cost: 1 }]);
}

/** What stands for an e-mail address in the names of counts. */
export const accountOf = (email: string): string => createHash('sha256').update(email).digest('hex').slice(0, 32);

/** Counts one attempt in windows of a limit. @throws {RequestError} 429 when one of them has no room */
export async function requireRoom(
  ctx: Context,
  { now }: Pick<AttemptParts, 'now'>,
  limit: RateLimit,
  charges: readonly Charge[],
): Promise<void> {
  const { isGranted, windows, refusedBy = 0 } = await limit.charge(charges);
  const refused = windows[refusedBy];
  if (isGranted || refused === undefined) return;
  tellLimit(ctx, refused);
  const seconds = Math.max(1, Math.ceil((refused.resetMs - now()) / 1000));
  throw new RequestError(429, 'rate_limited', `Too many attempts. Try again in ${seconds} s.`, {
    'Retry-After': String(seconds),
  });
}

// How often a password may be guessed. Each count belongs to those who guess: an address, an account at one address, a device,
// a session. So wrong guesses of others keep no one out who comes from a device or network that the account knows, or holds an
// access token. One more count per account bounds guesses from everywhere else together; the way past it is the link of a
// password mail, which makes the network known. Attempts on an unregistered e-mail address count like any other, so the limits
// do not reveal who has an account.

/** The part of the account's hourly attempts that one address may use up. */
const ADDRESS_SHARE = 10;

/** What is known of the client that tries to log in. */
export interface Guesser {
  /** The device that its token names; absent without a valid one. */
  readonly deviceId?: string;
  /** The user has logged in from this device or network before. */
  readonly isKnown: boolean;
  /** Where its password waits to be hashed. */
  readonly place: HashPlace;
}

/**
 * Counts one attempt to log in, and looks the user up.
 * @throws {RequestError} 429
 */
export async function countLogin(
  ctx: RouteContext,
  parts: AuthParts,
  { email, deviceToken }: { email: string; deviceToken: string | undefined },
): Promise<{ user: User | null; guesser: Guesser }> {
  const { users, devices, networks, config, rateLimit, hourLimit } = parts;
  const hourCap = hourCapOf(config);
  const network = networkOf(ctx);
  if (deviceToken !== undefined) {
    const user = await users.findByEmail(email);
    const deviceId = user === null ? undefined : await devices.read(deviceToken, user);
    if (user !== null && deviceId !== undefined) {
      await countOwn(ctx, parts, `password-device:${user._id}:${deviceId}`);
      return { user, guesser: { deviceId, isKnown: true, place: { subject: user._id, isKnown: true } } };
    }
  }
  // Redis gets to see no e-mail address.
  const account = `password-account:${accountOf(email)}`;
  const ofNetwork = `password:${network}`;
  await requireRoom(ctx, parts, rateLimit, [
    { subject: ofNetwork, cap: config.AUTH_ADDRESS_LOGINS_PER_MINUTE, cost: 1 },
    { subject: `${account}:${network}`, beside: ofNetwork, cap: config.AUTH_LOGIN_PER_MINUTE, cost: 1 },
  ]);
  const user = await users.findByEmail(email);
  const isKnown = user !== null && (await networks.has(user, network));
  const ofAccount = `hour-${account}`;
  const hereCap = isKnown ? hourCap : Math.ceil(hourCap / ADDRESS_SHARE);
  const here = { subject: `${ofAccount}:${network}`, beside: ofAccount, cap: hereCap, cost: 1 };
  await requireRoom(ctx, parts, hourLimit, isKnown ? [here] : [here, { subject: ofAccount, cap: hourCap, cost: 1 }]);
  return { user, guesser: { isKnown, place: isKnown ? { subject: user._id, isKnown } : { subject: network, isKnown } } };
}

/** Counts one guess of the holder of an access token, by session: guesses of others do not count there. @throws {RequestError} 429 */
export async function countHolder(ctx: RouteContext, parts: AuthParts, userId: string): Promise<void> {
  const { token } = ctx.state.request;
  await countOwn(ctx, parts, `password-session:${userId}:${token?.sessionId ?? ''}`);
}

async function countOwn(ctx: RouteContext, parts: AuthParts, subject: string): Promise<void> {
  const { config, rateLimit, hourLimit } = parts;
  await requireRoom(ctx, parts, rateLimit, [{ subject, cap: config.AUTH_LOGIN_PER_MINUTE, cost: 1 }]);
  await requireRoom(ctx, parts, hourLimit, [{ subject: `hour-${subject}`, cap: hourCapOf(config), cost: 1 }]);
}

/** An hour allows no less than a minute does, so that raising the limit of a minute is enough. */
const hourCapOf = ({ AUTH_ACCOUNT_LOGINS_PER_HOUR, AUTH_LOGIN_PER_MINUTE }: AuthParts['config']): number =>
  Math.max(AUTH_ACCOUNT_LOGINS_PER_HOUR, AUTH_LOGIN_PER_MINUTE);
