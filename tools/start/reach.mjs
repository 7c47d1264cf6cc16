// Whether a server on the network can be reached at all, found out at once: package managers and download libraries try for minutes where
// a machine has no network, and say little then.
import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

/** A server that a machine reaches takes a connection within this, milliseconds. */
const CONNECT_MS_MAX = 1500;
const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
const PORTS = /** @type {Record<string, number>} */ ({ 'http:': 80, 'https:': 443 });

/** Whether this machine is on a network at all. */
export const hasNetwork = () =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ internal }) => !internal));

/**
 * @param {string} address of an http server
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<string | undefined>} why it cannot be reached, e.g. `packages.example: ENOTFOUND`; undefined: it can, or a proxy decides
 */
export async function whyNotReached(address, env = process.env) {
  if (PROXIES.some((name) => env[name])) return undefined;
  const { hostname, port, protocol } = new URL(address);
  try {
    await within(connected(hostname.replace(/^\[|\]$/g, ''), Number(port) || (PORTS[protocol] ?? 443)));
    return undefined;
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    return `${hostname}: ${code ?? message}`;
  }
}

/**
 * @param {string} hostname
 * @param {number} port
 */
async function connected(hostname, port) {
  const { address } = await lookup(hostname);
  const socket = connect({ host: address, port, timeout: CONNECT_MS_MAX });
  try {
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.once('timeout', () => reject(new Error('no answer')));
    });
  } finally {
    socket.destroy();
  }
}

/**
 * A resolver that nobody answers takes longer than a connection.
 * @param {Promise<unknown>} work
 */
async function within(work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CONNECT_MS_MAX / 1000} s`)), CONNECT_MS_MAX);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
