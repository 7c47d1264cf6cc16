// How often an address and an account may try to log in (brute force). Every attempt counts, also a successful one.
// An attempt on an unregistered e-mail address counts like any other, so the limits do not reveal who has an account.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Config } from '../../shared/config.ts';
import { RequestError } from '../../shared/errors.ts';
import { setLimitHeaders } from '../access/admission.ts';
import type { RateLimit } from '../access/rateLimit.ts';

export interface AttemptParts {
  readonly rateLimit: RateLimit;
  readonly config: Pick<Config, 'AUTH_REGISTER_PER_MINUTE' | 'AUTH_LOGIN_PER_MINUTE' | 'AUTH_ADDRESS_LOGINS_PER_MINUTE'>;
  readonly now: () => number;
}

/** The kind of attempt; each has its own count. `password`: any way of guessing a password. */
type Attempt = 'register' | 'password' | 'forgot' | 'reset';

/** Counts one attempt of the request's network address. @throws {RequestError} 429 */
export function countAddress(ctx: Context, parts: AttemptParts, attempt: Attempt): Promise<void> {
  const { AUTH_REGISTER_PER_MINUTE, AUTH_ADDRESS_LOGINS_PER_MINUTE } = parts.config;
  const cap = attempt === 'password' ? AUTH_ADDRESS_LOGINS_PER_MINUTE : AUTH_REGISTER_PER_MINUTE;
  return count(ctx, parts, { subject: `${attempt}:${ctx.ip}`, cap });
}

/** Counts one attempt on an account, by its e-mail address. @throws {RequestError} 429 */
export function countAccount(ctx: Context, parts: AttemptParts, attempt: Attempt, email: string): Promise<void> {
  // Redis gets to see no e-mail address.
  const account = createHash('sha256').update(email).digest('hex').slice(0, 32);
  return count(ctx, parts, { subject: `${attempt}-account:${account}`, cap: parts.config.AUTH_LOGIN_PER_MINUTE });
}

async function count(
  ctx: Context,
  { rateLimit, now }: AttemptParts,
  { subject, cap }: { subject: string; cap: number },
): Promise<void> {
  const verdict = await rateLimit.admit(subject, cap);
  if (verdict.isGranted) return;
  setLimitHeaders(ctx, verdict);
  const seconds = Math.max(1, Math.ceil((verdict.resetMs - now()) / 1000));
  throw new RequestError(429, 'rate_limited', `Too many attempts. Try again in ${seconds} s.`, {
    'Retry-After': String(seconds),
  });
}
