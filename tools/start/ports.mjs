// TCP ports: finds a free one, and says whether one is free.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Refusal } from './refusal.mjs';

/** @returns {Promise<number>} a port on loopback that nothing listens on at the moment */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * @param {number} wanted
 * @returns {Promise<number>} that port of loopback, or a free one when it is taken
 */
export const portOr = async (wanted) => ((await isFree(wanted, '127.0.0.1')) ? wanted : await freePort());

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>}
 */
export const isFree = async (port, host) => (await whyNotFree(port, host)) === undefined;

/**
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string | undefined>} the system's code for why nothing can listen there, e.g. `EADDRINUSE`
 */
export async function whyNotFree(port, host) {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? String(error);
  } finally {
    server.close();
  }
}

/**
 * @param {number} port
 * @param {string} host
 * @throws {Refusal} when the API could not listen there
 */
export async function requirePort(port, host) {
  const code = await whyNotFree(port, host);
  if (code === undefined) {
    if (!(await isRefusedByClients(port))) return;
    throw new Refusal(`Browsers and fetch refuse to connect to port ${port}, whatever listens there: give another with --port.`);
  }
  if (code === 'EADDRINUSE') {
    throw new Refusal(`Port ${port} is in use: stop what listens there, or give another with --port.`);
  }
  throw new Refusal(`The API cannot listen on ${host}, port ${port} (${code}): set HOST, or give another port with --port.`);
}

/**
 * @param {number} port where nothing listens
 * @returns {Promise<boolean>} whether it is one that the fetch standard blocks, e.g. 6667 or 10080
 */
async function isRefusedByClients(port) {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return false;
  } catch (error) {
    const { cause } = /** @type {Error & { cause?: Error }} */ (error);
    return cause?.message === 'bad port';
  }
}
