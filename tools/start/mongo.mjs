// MongoDB for this data folder: the MongoDB that MONGO_URL names, the MongoDB that still runs here, a mongod on the PATH, a mongod
// that can be downloaded, or else the stand-in of tools/mongo, which needs a JDK and Maven. A data folder keeps its kind, because
// its data are in it. A MongoDB that is started here has one user, with a password.
import { mkdirSync } from 'node:fs';
import { findProgram } from './command.mjs';
import { downloadedMongod, downloadMongod } from './downloadMongod.mjs';
import { hasJars, standIn } from './mongoStandIn.mjs';
import { freePort, isFree } from './ports.mjs';
import { Refusal } from './refusal.mjs';
import { MONGO_USER, mongoUrl, storeSecrets } from './secrets.mjs';
import { endProcess, leftRunning, Service } from './service.mjs';
import { waitFor } from './wait.mjs';

/** A given MongoDB has to answer within this, milliseconds. */
const GIVEN_WITHIN_MS = 5000;
const OWN_WITHIN_MS = 60_000;

/** @typedef {{ kind: string, program: string, args: (port: number) => readonly string[] }} Engine */

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {(service: Service) => void} onService called before the service starts, so that it is stopped whatever comes
 * @param {AbortSignal} signal
 * @param {(url: string) => void} [onAddress] called as soon as a client may begin to try, which may be before it answers
 * @returns {Promise<{ url: string, how: string }>}
 */
export async function startMongo(data, onService, signal, onAddress = () => undefined) {
  const given = process.env['MONGO_URL'];
  if (given) {
    if (await answers(given, GIVEN_WITHIN_MS)) return { url: given, how: 'as MONGO_URL says' };
    throw new Refusal(
      'No MongoDB answers at the address in MONGO_URL within 5 s: start it, or unset MONGO_URL to have one started.',
    );
  }
  const { mongo: password } = storeSecrets(data);
  const left = await adoptable(data, password);
  const engine = await findEngine(data, signal);
  const port = left?.port ?? (await samePort(data));
  data.remember('mongo', { kind: engine.kind, port });
  const url = mongoUrl(port, password);
  const service = new Service({ name: 'mongo', data, program: engine.program, args: engine.args(port), port });
  onService(service);
  if (left) service.adopt(left);
  else service.start();
  // A mongod of our own has no user before it runs.
  if (engine.kind === 'stand-in') onAddress(url);
  const isThere = async () => (await answers(url, 300)) || (engine.kind === 'mongod' && (await makeUser(port, password)));
  const isUp = await waitFor(async () => ((await isThere()) ? true : service.deaths > 3 ? false : undefined), {
    withinMs: OWN_WITHIN_MS,
    signal,
  });
  if (!isUp) throw new Refusal(`MongoDB did not start; its log is ${service.logFile}:\n${service.lastLines()}`);
  return { url, how: left ? `still running on port ${port}` : `${engine.kind}, on port ${port}` };
}

/**
 * The process that an earlier start has left running. A MongoDB that does not take the password is ended.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {string} password
 */
async function adoptable(data, password) {
  const left = leftRunning(data, 'mongo');
  if (!left?.port || (await answers(mongoUrl(left.port, password), GIVEN_WITHIN_MS))) return left;
  await endProcess(left);
  return undefined;
}

/**
 * Makes the user of a mongod that has none yet: MongoDB lets the first one be made over loopback without a login.
 * @param {number} port
 * @param {string} password
 * @returns {Promise<boolean>} whether it has the user now
 */
async function makeUser(port, password) {
  const url = `mongodb://127.0.0.1:${port}`;
  const command = { createUser: MONGO_USER, pwd: password, roles: [{ role: 'root', db: 'admin' }] };
  return run(url, 300, command);
}

/**
 * The port of last time if it is free, so that a tool pointed at it finds it again.
 * @param {import('./dataFolder.mjs').DataFolder} data
 */
async function samePort(data) {
  const { port } = data.recall('mongo') ?? {};
  return port && (await isFree(port, '127.0.0.1')) ? port : freePort();
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<Engine>}
 */
export async function findEngine(data, signal) {
  const { kind } = data.recall('mongo') ?? {};
  if (kind === 'stand-in') return standIn(data, signal);
  const atHand = findProgram('mongod') ?? downloadedMongod(data);
  if (atHand) return mongod(data, atHand);
  // Where a start is to be quick, a program that is there goes before a program that would have to be fetched.
  if (data.sharesPrograms && kind === undefined && hasJars(data) && findProgram('java')) return standIn(data, signal);
  const program = await downloadMongod(data, signal);
  if (program) return mongod(data, program);
  if (kind === 'mongod') {
    throw new Refusal(
      `${data.path} was begun with a mongod, which is gone: install it again, or give another folder with --data.`,
    );
  }
  return standIn(data, signal);
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {string} program
 * @returns {Engine}
 */
function mongod(data, program) {
  const dir = data.folder('mongod');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return {
    kind: 'mongod',
    program,
    args: (port) => ['--auth', '--port', String(port), '--dbpath', dir, '--bind_ip', '127.0.0.1'],
  };
}

/**
 * Whether a MongoDB is there and takes the login of the address.
 * @param {string} url
 * @param {number} withinMs
 */
const answers = (url, withinMs) => run(url, withinMs, { ping: 1 });

/**
 * @param {string} url
 * @param {number} withinMs
 * @param {import('mongodb').Document} command
 * @returns {Promise<boolean>} whether it was carried out
 */
async function run(url, withinMs, command) {
  const { MongoClient } = await import('mongodb');
  try {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: withinMs, connectTimeoutMS: withinMs });
    try {
      await client.db('admin').command(command);
      return true;
    } finally {
      await client.close();
    }
  } catch {
    return false; // not there, not ready, no address of a MongoDB, or another password
  }
}
