// Whether others than this machine reach a deployment, as far as its variables tell. What is right for a laptop only hangs on it: a
// signing key in the database, a deployment without a secret, plans that a button pays.
import { isIPv4 } from 'node:net';
import type { Config } from './schema.ts';

export type Reach = Pick<Config, 'HOST' | 'PUBLIC_URL' | 'PROXY_HOPS'>;

/**
 * The variable by which others reach the deployment, for the text of a refusal: `HOST is "0.0.0.0"`.
 * @returns undefined when only this machine does
 */
export function reachedByOthers({ HOST, PUBLIC_URL, PROXY_HOPS }: Reach): string | undefined {
  if (!isLoopback(HOST)) return `HOST is "${HOST}"`;
  const { hostname } = new URL(PUBLIC_URL);
  if (!isLoopback(hostname)) return `PUBLIC_URL is "${hostname}"`;
  // Before an API on loopback stands a proxy for the sake of others.
  return PROXY_HOPS > 0 ? `PROXY_HOPS is "${PROXY_HOPS}"` : undefined;
}

/** `localhost`, 127.0.0.0/8 or ::1, as an address is written in a variable or in a URL. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
