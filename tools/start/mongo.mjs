// MongoDB for this data folder: the one that MONGO_URL names, the one that still runs here, a mongod on the PATH, one
// that can be downloaded, or else the stand-in of tools/mongo, which needs a JDK and Maven. A data folder keeps its
// kind, because its data are in it.
import { mkdirSync } from 'node:fs';
import { findProgram } from './command.mjs';
import { downloadMongod } from './downloadMongod.mjs';
import { standIn } from './mongoStandIn.mjs';
import { freePort, isFree } from './ports.mjs';
import { Refusal } from './refusal.mjs';
import { leftRunning, Service } from './service.mjs';
import { waitFor } from './wait.mjs';

/** A given MongoDB has to answer within this, milliseconds. */
const GIVEN_WITHIN_MS = 5000;
const OWN_WITHIN_MS = 60_000;

/** @typedef {{ kind: string, program: string, args: (port: number) => readonly string[] }} Engine */

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {(service: Service) => void} onService told before the service starts, so that it is stopped whatever comes
 * @param {AbortSignal} signal
 * @returns {Promise<{ url: string, how: string }>}
 */
export async function startMongo(data, onService, signal) {
  const given = process.env['MONGO_URL'];
  if (given) {
    if (await answers(given, GIVEN_WITHIN_MS)) return { url: given, how: 'as MONGO_URL says' };
    throw new Refusal(
      'No MongoDB answers at the address in MONGO_URL within 5 s: start it, or unset MONGO_URL to have one started.',
    );
  }
  const left = leftRunning(data, 'mongo');
  const engine = await findEngine(data, signal);
  const port = left?.port ?? (await samePort(data));
  data.remember('mongo', { kind: engine.kind, port });
  const url = `mongodb://127.0.0.1:${port}`;
  const service = new Service({ name: 'mongo', data, program: engine.program, args: engine.args(port), port });
  onService(service);
  if (left) service.adopt(left);
  else service.start();
  const isUp = await waitFor(async () => ((await answers(url, 300)) ? true : service.deaths > 3 ? false : undefined), {
    withinMs: OWN_WITHIN_MS,
    signal,
  });
  if (!isUp) throw new Refusal(`MongoDB did not start; its log is ${service.logFile}:\n${service.lastLines()}`);
  return { url, how: left ? `still running on port ${port}` : `${engine.kind}, on port ${port}` };
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
async function findEngine(data, signal) {
  const { kind } = data.recall('mongo') ?? {};
  if (kind === 'stand-in') return standIn(data, signal);
  const program = findProgram('mongod') ?? (await downloadMongod(data, signal));
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
  mkdirSync(dir, { recursive: true });
  return { kind: 'mongod', program, args: (port) => ['--port', String(port), '--dbpath', dir, '--bind_ip', '127.0.0.1'] };
}

/**
 * @param {string} url
 * @param {number} withinMs
 * @returns {Promise<boolean>}
 */
async function answers(url, withinMs) {
  const { MongoClient } = await import('mongodb');
  try {
    const client = new MongoClient(url, { serverSelectionTimeoutMS: withinMs, connectTimeoutMS: withinMs });
    try {
      await client.db('admin').command({ ping: 1 });
      return true;
    } finally {
      await client.close();
    }
  } catch {
    return false; // not there, not ready, or no address of a MongoDB
  }
}
