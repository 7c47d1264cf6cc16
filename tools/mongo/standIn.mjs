// How to run the stand-in for MongoDB: its server, compiled once into the folder of its libraries (a start takes one
// second then, not four), and the arguments after `java`.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const SOURCES = ['MongoServer.java', 'Logins.java'].map((name) => join(FOLDER, name));
/** Classes of other builds stay so long. */
const KEPT_MS = 24 * 3600 * 1000;
/** A small server: quick to start matters more than quick in the long run. */
const JVM = ['-XX:-UsePerfData', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/**
 * @param {string} jars folder of the libraries
 * @param {string} [java]
 * @returns {Promise<string[]>} words after `java`; `--port N`, `--dir DIR` or `--memory`, and `--login FILE` follow
 * @throws {Error} with the compiler's words
 */
export async function standInWords(jars, java = 'java') {
  const hash = createHash('sha256');
  for (const source of SOURCES) hash.update(readFileSync(source));
  const classes = join(jars, `classes-${hash.digest('hex').slice(0, 12)}`);
  if (!existsSync(classes)) await compile({ java, jars, classes });
  return [...JVM, '-cp', [join(jars, '*'), classes].join(delimiter), 'MongoServer'];
}

/** @param {string} classes @returns {boolean} false when another build, which shares the folder, may still start from them */
const isOld = (classes) => (statSync(classes, { throwIfNoEntry: false })?.mtimeMs ?? 0) < Date.now() - KEPT_MS;

/**
 * Whole or not at all: two may do it at once.
 * @param {{ java: string, jars: string, classes: string }} places
 */
async function compile({ java, jars, classes }) {
  const fresh = `${classes}.${process.pid}`;
  mkdirSync(fresh);
  // By its module: a JDK's compiler is not always on the PATH.
  const libraries = readdirSync(jars)
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(jars, name));
  const compiler = ['--module', 'jdk.compiler/com.sun.tools.javac.Main', '-cp', libraries.join(delimiter), '-d', fresh];
  await promisify(execFile)(java, [...compiler, ...SOURCES]);
  if (existsSync(classes)) return rmSync(fresh, { recursive: true });
  for (const old of readdirSync(jars)) {
    if (/^classes-\w+$/.test(old) && isOld(join(jars, old))) rmSync(join(jars, old), { recursive: true, force: true });
  }
  try {
    renameSync(fresh, classes);
  } catch (error) {
    if (!existsSync(classes)) throw error;
    rmSync(fresh, { recursive: true }); // somebody else was first
  }
}
