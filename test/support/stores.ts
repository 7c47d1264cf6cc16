// Real stores for tests: a redis-server and a server with MongoDB's protocol, each a process with a folder of its
// own. A test can stop, kill and start them again on their data. They end with the process that started them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis, type RedisOptions } from 'ioredis';
import { MongoClient } from 'mongodb';
import type { Certificates } from './certificates.ts';
import { guard } from './guard.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));

export interface Store {
  readonly url: string;
  readonly port: number;
  /** Its data; start another on the same `dir` and `port` to go on with them. */
  readonly dir: string;
  readonly pid: number;
  /**
   * SIGTERM, and the end of the process. Its folder stays, for another start, until the tests end. A MongoDB that keeps
   * nothing is emptied instead and waits for the next who asks for one.
   */
  stop(): Promise<void>;
  /** SIGKILL, and the end of the process. */
  kill(): Promise<void>;
}

/** The same Redis through its socket: the file lies in its folder. */
export const socketUrl = ({ dir }: Pick<Store, 'dir'>): string => `unix://${join(dir, REDIS_SOCKET)}`;

const REDIS_SOCKET = 'redis.sock';

/**
 * redis-server with AOF, no RDB and no eviction, like production. Its `everysec` writes as early as Redis ever does and leaves it to the
 * kernel when the disk has it: while a disk is slow Redis itself holds back for up to 2 s what it has answered (docs/stores.md), and a
 * kill would lose that on a busy machine. `settings`: further settings of Redis.
 */
export async function startRedis(
  options: { dir?: string; port?: number; appendfsync?: 'everysec' | 'always'; settings?: Record<string, string | number> } = {},
): Promise<Store> {
  const { dir = makeDir('redis'), port = await freePort(), appendfsync = 'everysec' } = options;
  mkdirSync(dir, { recursive: true });
  const fsync = appendfsync === 'everysec' ? 'no' : appendfsync;
  const settings = { port, dir, appendonly: 'yes', appendfsync: fsync, save: '', 'maxmemory-policy': 'noeviction' };
  const places = { bind: '127.0.0.1', unixsocket: join(dir, REDIS_SOCKET) };
  const args = Object.entries({ ...settings, ...places, ...options.settings }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  return started({ child, url, port, dir, isReady: () => redisAnswers(url) });
}

/** Settings with which a redis-server, or a Sentinel, speaks TLS at a port of its own. */
export const tlsSettings = ({ ca, key, cert }: Certificates, port: number): Record<string, string | number> => ({
  'tls-port': port,
  'tls-cert-file': cert,
  'tls-key-file': key,
  'tls-ca-cert-file': ca,
  'tls-auth-clients': 'no',
});

/** A test's own connection. One whose Redis is ended before it is expected to break: a call that needs it says so. */
export function openRedis(url: string, options: RedisOptions = {}): Redis {
  const redis = new Redis(url, options);
  redis.on('error', () => undefined);
  return redis;
}

/**
 * A `mongod` on the PATH, or the stand-in. `memory` keeps nothing on disk, which is faster and enough for most tests. A server that
 * another test has stopped serves again, because a start of the stand-in takes longer than most tests.
 */
export async function startMongo(options: { dir?: string; port?: number; memory?: boolean } = {}): Promise<Store> {
  const { memory = false, dir, port } = options;
  if (!memory || dir !== undefined || port !== undefined) return startOwnMongo(options);
  const waiting = waitingMongos.pop();
  waiting?.child.ref();
  const store = waiting ?? (await startOwnMongo(options));
  return {
    ...store,
    async stop() {
      if (store.child.exitCode !== null || store.child.signalCode !== null) return;
      await dropAll(store.url);
      store.child.unref();
      waitingMongos.push(store);
    },
  };
}

/** Empty ones. They end with this process. */
const waitingMongos: OwnStore[] = [];

async function startOwnMongo(options: { dir?: string; port?: number; memory?: boolean }): Promise<OwnStore> {
  if (!isOnPath('mongod')) return startStandIn(options);
  const { dir = makeDir('mongo'), port = await freePort() } = options;
  mkdirSync(dir, { recursive: true });
  const child = spawn('mongod', ['--port', String(port), '--dbpath', dir, '--bind_ip', '127.0.0.1'], { stdio: 'ignore' });
  return startedMongo(child, { port, dir });
}

/** The stand-in for MongoDB, also where there is a `mongod`. Options are the same as for `startMongo`. */
export async function startStandIn(options: { dir?: string; port?: number; memory?: boolean } = {}): Promise<OwnStore> {
  const { dir = makeDir('mongo'), port = await freePort(), memory = false } = options;
  mkdirSync(dir, { recursive: true });
  return startedMongo(await spawnStandIn({ dir, port, memory }), { port, dir });
}

function startedMongo(child: ChildProcess, { port, dir }: { port: number; dir: string }): Promise<OwnStore> {
  const url = `mongodb://127.0.0.1:${port}`;
  return started({ child, url, port, dir, isReady: () => mongoAnswers(url) });
}

async function dropAll(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const own = databases.filter(({ name }) => !['admin', 'config', 'local'].includes(name));
    for (const { name } of own) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}

interface OwnStore extends Store {
  readonly child: ChildProcess;
}

async function started(options: {
  child: ChildProcess;
  url: string;
  port: number;
  dir: string;
  isReady: () => Promise<boolean>;
}): Promise<OwnStore> {
  const { child, url, port, dir, isReady } = options;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await once(child, 'spawn');
  const pid = child.pid as number;
  const guarded = guard(pid);
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    guarded.release();
    child.kill(signal);
    await exited;
  };
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    await until(async () => hasEnded() || (await isReady()));
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  if (hasEnded()) throw new Error(`${child.spawnfile} on port ${port} has ended (data in ${dir})`);
  return {
    child,
    url,
    port,
    dir,
    pid,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function spawnStandIn(options: { dir: string; port: number; memory: boolean }): Promise<ChildProcess> {
  standInWords ??= promisify(execFile)(process.execPath, [join(PROJECT_DIR, 'tools', 'mongo', 'words.mjs'), standInJars()]);
  const words: string[] = JSON.parse((await standInWords).stdout);
  const place = options.memory ? ['--memory'] : ['--dir', options.dir];
  return spawn('java', [...words, '--port', String(options.port), ...place], { stdio: 'ignore' });
}

/** The words after `java`, asked for once. */
let standInWords: Promise<{ readonly stdout: string }> | undefined;

/** Folder of the stand-in's libraries; MONGO_JARS names another one. */
function standInJars(): string {
  const { MONGO_JARS: jars = join(PROJECT_DIR, 'var', 'mongo-jars') } = process.env;
  return jars;
}

async function redisAnswers(url: string): Promise<boolean> {
  const redis = openRedis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
  try {
    return (await redis.ping()) === 'PONG';
  } catch {
    return false; // not listening yet, or still loading its data: asked again
  } finally {
    redis.disconnect();
  }
}

async function mongoAnswers(url: string): Promise<boolean> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 2000 });
  try {
    await client.db('admin').command({ ping: 1 });
    return true;
  } catch {
    return false; // not listening yet: asked again
  } finally {
    await client.close();
  }
}

function isOnPath(program: string): boolean {
  const { PATH = '' } = process.env;
  return PATH.split(delimiter).some((dir) => existsSync(join(dir, program)));
}

const madeDirs: string[] = [];
process.once('exit', () => {
  for (const dir of madeDirs) rmSync(dir, { recursive: true, force: true });
});

/** An empty folder for a store's data, removed when the tests end. */
export function makeDir(name: string): string {
  const dir = mkdtempSync(join(tmpdir(), `paper-${name}-`));
  madeDirs.push(dir);
  return dir;
}
