// Redis for this data folder: the Redis that REDIS_URL names, the Redis that still runs here, or a new one with AOF and without
// eviction, in a folder of its own, on a socket there, and on a port for other programs.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { findProgram, runToEnd } from './command.mjs';
import { freePort } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { redisSocketUrl, redisUrl, storeSecrets } from './secrets.mjs';
import { leftRunning, Service } from './service.mjs';
import { usableSocket } from './socket.mjs';
import { installPart } from './systemPackages.mjs';
import { waitFor } from './wait.mjs';

const MAJOR_MIN = 7;
/** A given Redis has to answer within this, milliseconds. */
const GIVEN_WITHIN_MS = 5000;
/** Our own: the AOF of a large day takes its time to load, milliseconds. */
const OWN_WITHIN_MS = 120_000;

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {(service: Service) => void} onService called before the service starts, so that it is stopped whatever comes
 * @param {AbortSignal} signal
 * @returns {Promise<{ url: string, how: string, port?: number }>} `port` of our own
 */
export async function startRedis(data, onService, signal) {
  const given = process.env['REDIS_URL'];
  if (given) return { url: await checkGiven(given, signal), how: 'as REDIS_URL says' };

  const dir = data.folder('redis');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { redis: password } = storeSecrets(data);
  const durability = process.env['REDIS_DURABILITY'] === 'always' ? 'always' : 'everysec';
  const left = leftRunning(data, 'redis');
  const isOurs = left?.port !== undefined && (await settingOf({ port: left.port, password }, 'dir')) === realpathSync(dir);
  const port = isOurs && left?.port ? left.port : await freePort();
  const program = isOurs ? (findProgram('redis-server') ?? 'redis-server') : await findRedis(data, signal);
  const socket = await usableSocket(data.folder('run', 'redis.sock'));
  const settings = {
    ...(socket ? { unixsocket: socket, unixsocketperm: '700' } : {}),
    ...{ port, dir, bind: '127.0.0.1', appendonly: 'yes', appendfsync: durability, save: '' },
    ...{ 'maxmemory-policy': 'noeviction', maxmemory: String(memoryMax()), daemonize: 'no', requirepass: password },
  };
  // A file, for every user of the machine can read a process's arguments.
  const file = data.folder('run', 'redis.conf');
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${JSON.stringify(String(value))}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
  const service = new Service({ name: 'redis', data, program, args: [file], port });
  onService(service);
  if (isOurs && left) {
    service.adopt(left);
    const server = { port, password };
    await ask(server, ['CONFIG', 'SET', 'appendfsync', durability]);
    const isThere = socket !== undefined && (await settingOf(server, 'unixsocket')) === socket;
    return {
      url: isThere ? redisSocketUrl(socket, password) : redisUrl(port, password),
      how: `still running on port ${port}`,
      port,
    };
  }
  service.start();
  const isUp = await waitFor(
    async () => ((await ask({ port, password }, ['PING'])) === 'PONG' ? true : service.deaths > 3 ? false : undefined),
    {
      withinMs: OWN_WITHIN_MS,
      signal,
    },
  );
  if (!isUp) throw new Refusal(`Redis did not start; its log is ${service.logFile}:\n${service.lastLines()}`);
  return { url: socket ? redisSocketUrl(socket, password) : redisUrl(port, password), how: `own, on port ${port}`, port };
}

/**
 * @param {string} url
 * @param {AbortSignal} signal
 */
async function checkGiven(url, signal) {
  const place = placeOf(url);
  const answers = await waitFor(() => listens(place), { withinMs: GIVEN_WITHIN_MS, signal });
  if (!answers)
    throw new Refusal(
      `No Redis answers at the address in REDIS_URL within 5 s: start it, or unset REDIS_URL to have one started.`,
    );
  return url;
}

/**
 * The form of the address has been checked with the configuration (src/shared/config/redisAddress.ts). Of several hosts the first
 * is looked for.
 * @param {string} url
 * @returns {import('node:net').NetConnectOpts}
 */
function placeOf(url) {
  const socket = /^unix:\/\/(?:[^@/]*@)?(\/.+)$/.exec(url)?.[1];
  if (socket !== undefined) return { path: decodeURIComponent(socket) };
  const [, kind, place = ''] = /^rediss?(?:\+(\w+))?:\/\/(?:[^/?#]*@)?([^,/?#]+)/.exec(url) ?? [];
  if (!URL.canParse(`http://${place}`)) throw new Refusal('REDIS_URL is not an address like redis://127.0.0.1:6379.');
  const { hostname, port } = new URL(`redis://${place}`);
  return { host: hostname, port: Number(port) || (kind === 'sentinel' ? 26_379 : 6379) };
}

/**
 * A redis-server that is new enough; installed if there is none and that is allowed.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 */
export async function findRedis(data, signal) {
  const found = findProgram('redis-server');
  const major = found ? await majorOf(found, signal) : 0;
  if (found && major >= MAJOR_MIN) return found;
  const isInstalled = !found && (await installPart('redis', 'redis-server', { logFile: data.logFile('prepare'), signal }));
  const installed = isInstalled ? findProgram('redis-server') : undefined;
  if (installed && (await majorOf(installed, signal)) >= MAJOR_MIN) return installed;
  const problem = found ? `redis-server ${major} is too old` : 'redis-server is missing';
  throw new Refusal(`${problem}: install Redis 7 or newer, or set REDIS_URL to one that runs.`);
}

/**
 * @param {string} program
 * @param {AbortSignal} signal
 */
async function majorOf(program, signal) {
  const { output } = await runToEnd(program, ['--version'], { cwd: PROJECT_DIR, signal });
  return Number(/v=(\d+)\./.exec(output)?.[1] ?? 0);
}

/** @typedef {{ port: number, password: string }} Server */

/**
 * @param {Server} server
 * @param {string} name
 * @returns {Promise<string | undefined>} the settings of the Redis there
 */
async function settingOf(server, name) {
  const answer = await ask(server, ['CONFIG', 'GET', name]);
  return answer?.split('\r\n').at(-1);
}

/**
 * One command over a connection of its own; enough protocol for short answers, and no package is installed yet.
 * @param {Server} server
 * @param {readonly string[]} words
 * @returns {Promise<string | undefined>} the answer's text without its type; undefined: nothing answers, or an error
 */
function ask({ port, password }, words) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = () => {
      socket.destroy();
      // The first line is the login's answer: an error where a server has no password; the last one is QUIT's own.
      const answer = text.replace(/^.*\r\n/, '').replace(/\+OK\r\n$/, '');
      resolve(answer === '' || answer.startsWith('-') ? undefined : answer.replace(/^\+/, '').trimEnd());
    };
    socket.setTimeout(2000, done);
    socket.once('error', done);
    socket.once('close', done);
    socket.on('data', (chunk) => {
      text += chunk;
    });
    // With QUIT behind it: the server closes when it has answered all, so the answer is whole.
    socket.write([['AUTH', password], words, ['QUIT']].map(toRequest).join(''));
  });
}

/** @param {readonly string[]} words */
const toRequest = (words) => `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;

/**
 * @param {import('node:net').NetConnectOpts} place
 * @returns {Promise<true | undefined>}
 */
function listens(place) {
  return new Promise((resolve) => {
    const socket = connect(place);
    /** @param {true | undefined} answer */
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, () => done(undefined));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(undefined));
  });
}

/**
 * The memory that Redis may use: the sum of the bounds of all its keys (docs/stores.md), and no more than half of the machine.
 */
function memoryMax() {
  return Math.min(8 * 1024 ** 3, Math.floor(totalmem() / 2));
}
