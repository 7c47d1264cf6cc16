// The data folder, in which one start runs at a time. A start leaves files for the next: process records, programs that were found,
// and programs that could not be downloaded. Keys, passwords and the accounts' data are in it, so only its owner may read what a
// start makes. Files that were there before a start keep their mode, and the start refuses a folder of other things.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { tryLock } from './fileLock.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';

/** A log file larger than this is put aside at the next start, bytes; one earlier file is kept. */
const LOG_BYTES_MAX = 20 * 1024 * 1024;
const LOCK = 'start.lock';
const FOUND = 'found.json';
/** Says of the folder's stores which line of forms they have, as the deployment's record does (src/shared/domain/formats.ts). */
const FORMS = 'forms.json';
const FORMS_LINE = '1.0';
/** Folders of stores. */
const STORES = ['redis', 'mongo'];
/** One of these names marks a data folder: the first start in it makes FOUND before anything else. */
const MARKS = [LOCK, FOUND, FORMS, 'secrets.json', 'demo.json'];
/** The files and folders of a start, in a folder of its own, or in `var` of the checkout, which has other things, too. */
const OWN = [
  'logs',
  'run',
  'redis',
  'mongo',
  'mongod',
  'mail',
  'cache',
  'prometheus',
  'grafana',
  FOUND,
  FORMS,
  'demo.json',
  'demo.before.json',
  'secrets.json',
];
/** Files that may be in a folder before its first start: libraries of MongoDB's stand-in, and the files of a new file system. */
const HARMLESS = ['mongo-jars', 'lost+found'];
/** Where all of it goes unless --data names another folder. */
const USUAL = resolve(PROJECT_DIR, 'var');
const SUB_FOLDER = 'paper-perps';
/** Of others than the owner. */
const OTHERS = 0o077;

export class DataFolder {
  /** @readonly @type {string} */
  path;
  /** Where programs and libraries are that a start has fetched or found. @readonly @type {string} */
  programs;
  #unlock;

  /**
   * @param {string} path
   * @param {string} [programs] another folder than itself, which more starts may share
   * @throws {Refusal} when another start runs in it, it cannot be written, or it holds other things
   */
  constructor(path, programs = path) {
    this.path = path;
    this.programs = programs;
    /** @type {(() => void) | undefined} */
    let unlock;
    try {
      makeFolder(path);
      refuseOthers(path);
      refuseUnreleased(path);
      unlock = tryLock(join(path, LOCK));
      if (unlock && !existsSync(this.folder(FOUND))) writeJson(path, FOUND, {});
      if (unlock && !existsSync(this.folder(FORMS))) writeJson(path, FORMS, { forms: FORMS_LINE });
      makeFolder(this.folder('logs'));
      makeFolder(this.folder('run'));
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(
        `The data folder ${path} cannot be written (${/** @type {Error} */ (error).message}): give another with --data.`,
      );
    }
    if (!unlock) throw new Refusal(`Another start already runs in ${path}: stop it, or give this one its own --data and --port.`);
    this.#unlock = unlock;
    this.shut();
  }

  /** Takes from others what another program has let them read. */
  shut() {
    for (const name of OWN) if (existsSync(this.folder(name))) shutFrom(this.folder(name));
  }

  /** @param {...string} names */
  folder(...names) {
    return join(this.path, ...names);
  }

  /** @param {string} name */
  logFile(name) {
    const file = this.folder('logs', `${name}.log`);
    if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
    if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
    return file;
  }

  /**
   * @param {string} name
   * @returns {any} the last value that `write` has stored under the name, or undefined
   */
  read(name) {
    return readJson(this.folder(name));
  }

  /**
   * Like `read`, for a file that no start can make again.
   * @param {string} name
   * @param {(value: any) => boolean} isWhole
   * @param {string} remedy what to do where it is damaged, as a sentence
   * @returns {any} undefined when it was never written
   * @throws {Refusal} when it is there and cannot be read whole
   */
  readKept(name, isWhole, remedy) {
    if (!existsSync(this.folder(name))) return undefined;
    const value = this.read(name);
    if (value === undefined || value === null || !isWhole(value)) throw new Refusal(`${this.folder(name)} is damaged. ${remedy}`);
    return value;
  }

  /**
   * Whole or not at all, also after the machine has lost its power; readable by its owner only, for keys and passwords are
   * among it.
   * @param {string} name
   * @param {unknown} value
   */
  write(name, value) {
    writeJson(this.path, name, value);
  }

  /** Whether several starts share the programs: then a start fetches none where another program serves. */
  get sharesPrograms() {
    return this.programs !== this.path;
  }

  /** Programs that earlier starts found or could not have. @param {string} key */
  recall(key) {
    return this.read(FOUND)?.[key];
  }

  /**
   * @param {string} key
   * @param {unknown} value
   */
  remember(key, value) {
    this.write(FOUND, { ...this.read(FOUND), [key]: value });
  }

  /** The same of programs. @param {string} key */
  recallProgram(key) {
    return readJson(join(this.programs, FOUND))?.[key];
  }

  /**
   * Of programs, for all who share their folder.
   * @param {string} key
   * @param {unknown} value
   */
  rememberProgram(key, value) {
    makeFolder(this.programs);
    writeJson(this.programs, FOUND, { ...readJson(join(this.programs, FOUND)), [key]: value });
  }

  close() {
    this.#unlock();
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {unknown} value
 */
function writeJson(folder, name, value) {
  const draft = join(folder, `${name}.${process.pid}.new`);
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  toDisk(draft);
  renameSync(draft, join(folder, name));
  toDisk(folder);
}

/** @param {string} file @returns {any} */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined; // never written, or cut by a crash: as if never written
  }
}

/**
 * @param {string} path
 * @throws {Refusal} when the folder has another purpose: its files would get into the way, or into other hands
 */
function refuseOthers(path) {
  if (path === USUAL || MARKS.some((name) => existsSync(join(path, name)))) return;
  const other = readdirSync(path).find((name) => !HARMLESS.includes(name));
  if (other === undefined) return;
  throw new Refusal(
    `The folder ${path} holds other things (${other}): give one of its own, such as --data ${join(path, SUB_FOLDER)}.`,
  );
}

/**
 * Step by step, for Node's own recursive mkdir never returns where the system answers "no such file" for a folder whose
 * parent is there, as below /proc.
 * @param {string} path
 */
function makeFolder(path) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, 0o700);
}

/** @param {string} path a file, or a folder: the names in it */
function toDisk(path) {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** @param {string} path a file, or a folder with all that is in it */
function shutFrom(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false }); // what another process removes meanwhile is not there
  if (stat === undefined || stat.isSymbolicLink()) return;
  if ((stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & ~OTHERS & 0o777);
  if (stat.isDirectory()) for (const name of readdirSync(path)) shutFrom(`${path}/${name}`);
}

/**
 * Before the first write: no release reads what an unreleased build has stored.
 * @param {string} path
 * @throws {Refusal} when the stores in it are of an unreleased build
 */
function refuseUnreleased(path) {
  if (!STORES.some((store) => existsSync(join(path, store)))) return;
  if (readJson(join(path, FORMS))?.forms === FORMS_LINE) return;
  throw new Refusal(
    `The data folder ${path} holds an exchange of an unreleased build, whose stored forms no release reads: start a fresh one with "bin/start --data ${path}-1.0".`,
  );
}
