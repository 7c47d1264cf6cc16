// mongo-java-server from tools/mongo, for machines without a mongod. Its libraries come from Maven Central once and
// stay in the data folder.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standInWords } from '../mongo/standIn.mjs';
import { fetchToEnd, findProgram, runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { hasNetwork, whyNotReached } from './reach.mjs';
import { Refusal } from './refusal.mjs';
import { sayDoing } from './say.mjs';
import { MONGO_USER, storeSecrets } from './secrets.mjs';
import { installPart } from './systemPackages.mjs';

const JAVA_MIN = 17;
const SOURCES = join(PROJECT_DIR, 'tools', 'mongo');
const SERVER = 'https://repo.maven.apache.org';
const OTHERWISE = 'or set MONGO_URL to a MongoDB that runs';

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<import('./mongo.mjs').Engine>}
 */
export async function standIn(data, signal) {
  const java = await findJava(data, signal);
  const jars = await fetchJars(data, signal);
  const dir = data.folder('mongo');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const words = await standInWords(jars, java);
  // A file, for every user of the machine can read a process's arguments.
  const login = data.folder('run', 'mongo.login');
  writeFileSync(login, `${MONGO_USER}\n${storeSecrets(data).mongo}\n`, { mode: 0o600 });
  return {
    kind: 'stand-in',
    program: java,
    args: (port) => [...words, '--port', String(port), '--dir', dir, '--login', login],
  };
}

/** @param {import('./dataFolder.mjs').DataFolder} data */
const jarsOf = (data) => process.env['MONGO_JARS'] || join(data.programs, 'mongo-jars');

/**
 * Whether its libraries are there.
 * @param {import('./dataFolder.mjs').DataFolder} data
 */
export const hasJars = (data) => existsSync(jarsOf(data)) && readdirSync(jarsOf(data)).some((name) => name.endsWith('.jar'));

/**
 * The folder of the libraries, which MONGO_JARS may name; fetched if they are not there yet.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 */
export async function fetchJars(data, signal) {
  const jars = jarsOf(data);
  if (hasJars(data)) return jars;
  const logFile = data.logFile('prepare');
  if (!hasNetwork()) throw notFetched('this machine has no network');
  const mvn = findProgram('mvn') ?? ((await installPart('maven', 'Maven', { logFile, signal })) ? findProgram('mvn') : undefined);
  if (!mvn) throw new Refusal(`MongoDB's stand-in needs Maven: install Maven, or a mongod, ${OTHERWISE}.`);
  sayDoing('Fetching the libraries of the MongoDB stand-in (once)');
  const fresh = `${jars}.${process.pid}`;
  const repository = data.folder('cache', 'm2');
  const isRepositoryGiven = process.env['MAVEN_OPTS']?.includes('maven.repo.local') ?? false;
  const args = [
    ...['-q', '-B', '-f', join(SOURCES, 'pom.xml'), 'dependency:copy-dependencies', `-DoutputDirectory=${fresh}`],
    ...(isRepositoryGiven ? [] : [`-Dmaven.repo.local=${repository}`]),
  ];
  const { ok, output } = await fetchToEnd(mvn, args, { cwd: PROJECT_DIR, logFile, signal, server: SERVER });
  rmSync(repository, { recursive: true, force: true });
  if (!ok || !existsSync(fresh)) throw notFetched((await whyNotReached(SERVER)) ?? firstLine(output));
  // Another start may have fetched them meanwhile, and runs from them.
  if (hasJars(data)) rmSync(fresh, { recursive: true });
  else {
    rmSync(jars, { recursive: true, force: true });
    renameSync(fresh, jars);
  }
  return jars;
}

/** @param {string} why */
const notFetched = (why) =>
  new Refusal(`The libraries of MongoDB's stand-in could not be fetched (${why}): install a mongod, ${OTHERWISE}.`);

/** @param {string} output */
const firstLine = (output) => /^.*\[ERROR\] (.*)$/m.exec(output)?.[1] ?? output.trimEnd().split('\n').at(-1) ?? '';

/**
 * A java that can run a source file, which a mere runtime cannot.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 */
export async function findJava(data, signal) {
  const remembered = data.recallProgram('java');
  if (remembered && remembered === findProgram('java')) return remembered;
  const logFile = data.logFile('prepare');
  const found =
    (await javaOnPath(signal)) ??
    ((await installPart('jdk', 'a JDK', { logFile, signal })) ? await javaOnPath(signal) : undefined);
  if (!found) throw new Refusal(`MongoDB's stand-in needs a JDK: install JDK ${JAVA_MIN} or newer, or a mongod, ${OTHERWISE}.`);
  data.rememberProgram('java', found);
  return found;
}

/** @param {AbortSignal} signal */
async function javaOnPath(signal) {
  const java = findProgram('java');
  if (!java) return undefined;
  const options = { cwd: PROJECT_DIR, signal };
  const version = await runToEnd(java, ['-version'], options);
  const major = Number(/version "(\d+)/.exec(version.output)?.[1] ?? 0);
  if (!version.ok || major < JAVA_MIN) return undefined;
  const modules = await runToEnd(java, ['--list-modules'], options);
  return modules.output.includes('jdk.compiler') ? java : undefined;
}
