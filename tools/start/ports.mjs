// TCP ports: finds a free one, and says whether one is free. A port that the system calls free comes from the range of all outgoing
// connections, and two starts at once may get the same port: another program may have it before a server that takes seconds to
// start listens on it. These are from below that range. Each process has a block of its own, and holds it for its life by listening
// on the block's first port.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Refusal } from './refusal.mjs';

/** Above 10,080, the last of the ports that `fetch` refuses. */
const FIRST = 10_110;
const BLOCK = 110;
const BLOCKS = 200;

/** @type {Promise<number> | undefined} */
let ownBlock;
let given = 0;

/**
 * @returns {Promise<number>} a port on loopback that nothing listens on, and that no other start is given
 * @throws {Refusal} when there is none
 */
export async function freePort() {
  ownBlock ??= takeBlock();
  const first = await ownBlock;
  for (let tried = 1; tried < BLOCK; tried++) {
    given += 1;
    const port = first + 1 + (given % (BLOCK - 1));
    if (await isFree(port, '127.0.0.1')) return port;
  }
  throw new Refusal(`Something listens on each port from ${first} to ${first + BLOCK - 1}.`);
}

/** @returns {Promise<number>} its first port, on which this process listens from now on */
async function takeBlock() {
  for (let tried = 0; tried < BLOCKS; tried++) {
    const first = FIRST + BLOCK * ((process.pid + tried) % BLOCKS);
    const server = createServer();
    try {
      server.listen(first, '127.0.0.1');
      await once(server, 'listening');
      server.unref();
      return first;
    } catch {
      server.close(); // another process has the block
    }
  }
  throw new Refusal(`No free port: something listens on every ${BLOCK}th port from ${FIRST} on.`);
}

/**
 * @param {number} wanted
 * @returns {Promise<number>} that port of loopback, or a free one when it is taken
 */
export const portOr = async (wanted) => ((await isFree(wanted, '127.0.0.1')) ? wanted : await freePort());

/**
 * Two starts at one moment both find a port free on which nothing listens yet. The first one to bind the UDP port of the same number has
 * the TCP port for its life: the system lets only one process bind it, and lets go of it when that process ends.
 * @param {number} port
 * @param {string} host
 * @returns {Promise<boolean>} whether the TCP port is free and now belongs to this start
 */
export async function claim(port, host) {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
  } catch {
    socket.close(); // another start has it
    return false;
  }
  socket.unref();
  if (await isFree(port, host)) return true;
  socket.close();
  return false;
}

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
 * @returns {Promise<boolean>} whether the fetch standard blocks the port, e.g. 6667 or 10080
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
