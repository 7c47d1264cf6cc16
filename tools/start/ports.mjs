// TCP ports: one that is free, and whether one is.
import { once } from 'node:events';
import { createServer } from 'node:net';

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
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>}
 */
export async function isFree(port, host) {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return true;
  } catch {
    return false; // in use, or not ours to use
  } finally {
    server.close();
  }
}
