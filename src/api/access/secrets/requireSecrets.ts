// An API that other machines reach gets its signing key from the environment: one that lies in the database goes with
// every copy of it, and signs tokens for every user.
import { isIPv4 } from 'node:net';
import type { Config } from '../../../shared/config.ts';

/** @throws Error when the API would listen beyond this machine with a signing key that is kept in the database */
export function requireSecrets({ HOST, JWT_SECRET }: Pick<Config, 'HOST' | 'JWT_SECRET'>): void {
  if (JWT_SECRET !== '' || isLoopback(HOST)) return;
  throw new Error(
    `HOST is ${HOST}, which other machines reach: set JWT_SECRET to 32 random characters or more (openssl rand -hex 32). ` +
      'If users were logged in before, set JWT_SECRETS_OLD=kept for a day, and they stay so.',
  );
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
