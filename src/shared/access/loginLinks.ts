// Links that log a browser of this machine in, once: bin/start prints one for the demo account. Redis keeps a digest of each for
// a short time; taking it out uses it up.
import { createHash, randomBytes } from 'node:crypto';
import { loginLinkKey } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';

/** How long a link is good, s. */
export const LOGIN_LINK_SECONDS = 3_600;
const TOKEN_BYTES = 32;

/** @returns the token of a new link for a user */
export async function makeLoginLink(redis: Redis, userId: string): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await redis.set(keyOf(token), userId, 'EX', LOGIN_LINK_SECONDS);
  return token;
}

/** Uses a link up. @returns whose it was; undefined for one that is unknown, used or over */
export async function takeLoginLink(redis: Redis, token: string): Promise<string | undefined> {
  return (await redis.getdel(keyOf(token))) ?? undefined;
}

/** What is stored opens nothing. */
const keyOf = (token: string): string => loginLinkKey(createHash('sha256').update(token).digest('hex'));
