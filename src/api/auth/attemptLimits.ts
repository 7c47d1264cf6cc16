// How often an address may register, ask for password mails and use their links, and how an attempt past a limit is
// refused. guessLimits.ts has the limits of guessing passwords.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import { RequestError } from '../../shared/errors.ts';
import type { Charge } from '../access/limits/charge.ts';
import type { RateLimit } from '../access/limits/rateLimit.ts';
import { networkOf, tellLimit } from '../access/requestContext.ts';

export interface AttemptParts {
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
