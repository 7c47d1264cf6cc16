// The command line of bin/start. Wrong arguments are refused here, before anything is started or written.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';

export const USAGE = `Starts the paper exchange and everything it needs, with a demo account that has traded once.

  bin/start [options]
  bin/start --ci [--seed N] [--moving] [--attached] [--port N] [--data DIR] [--new-demo]
  bin/start --install

  --data DIR                        where everything it writes goes (default: var, beside this project)
  --port N                          port of the API (default: PORT, else 3000; with --ci a free one)
  --market live|emulated|replay     where prices come from (default: as at the start before; at first live if the venue answers, else
                                    emulated)
  --recording FILE                  what --market replay plays
  --root-account                    the demo account also at the root of a port of loopback (3001 or a free one), without a key
  --new-demo                        another demo account in place of the one in demo.json, which goes to demo.before.json
  --observe                         Prometheus beside it, and Grafana where there is one
  --ci                              for tests: an emulated market that starts the same each time, one account, one process; prints one
                                    line of JSON on stdout when it is ready, and keeps nothing without --data (docs/control.md)
  --seed N                          with --ci: another market for each N (default: 1)
  --moving                          with --ci: prices move by themselves; without it they stand still until a control call
  --attached                        with --ci: ends when its standard input does, so with the program that holds that, however it ends
  --install                         installs, builds and fetches what a start needs, and ends: later starts need no network
  --once                            stop again when all of it runs; the status is 0 if it did
  --help                            this text

REDIS_URL and MONGO_URL name stores that run already; every other variable is in .env.example.
It writes below the data folder only, and to node_modules and dist of this project.
`;

const MARKETS = /** @type {const} */ (['live', 'emulated', 'replay']);
const VALUE_OPTIONS = ['--data', '--port', '--market', '--recording', '--seed'];
const FLAGS = ['--ci', '--moving', '--attached', '--install', '--once', '--observe', '--root-account', '--new-demo', '--help'];
const SEED_MAX = 2 ** 32 - 1;
/** Options that `--ci` decides itself. */
const NOT_CI = ['--market', '--recording', '--once', '--observe', '--root-account'];
const ONLY_CI = ['--seed', '--moving', '--attached'];
/** The first bytes of every recording: src/market/recording/record.ts. */
const RECORDING_BEGIN = Buffer.from('{"atMs":');
const GZIP_BEGIN = Buffer.from([0x1f, 0x8b]);

/**
 * @typedef {object} StartOptions
 * @property {string} data absolute path
 * @property {number} port 0: a free one
 * @property {boolean} ci
 * @property {boolean} isTemporary with `ci`: the data folder is removed at the end
 * @property {number} seed
 * @property {boolean} moving
 * @property {boolean} attached
 * @property {boolean} install
 * @property {'live' | 'emulated' | 'replay' | undefined} market undefined: live if the venue answers
 * @property {string | undefined} recording absolute path
 * @property {boolean} once
 * @property {boolean} observe
 * @property {boolean} rootAccount
 * @property {boolean} newDemo
 * @property {boolean} help
 */

/**
 * @param {readonly string[]} args
 * @param {string} from folder that relative paths start from
 * @returns {StartOptions}
 * @throws {Refusal} one sentence that names the option
 */
export function parseOptions(args, from) {
  const given = collect(args);
  const ci = given.has('--ci');
  requireTogether(given, ci);
  const market = given.get('--market');
  if (market !== undefined && !isMarket(market)) {
    throw new Refusal(`--market must be one of ${MARKETS.join(', ')}, not "${market}".`);
  }
  const recording = given.get('--recording');
  if (recording !== undefined && market !== 'replay') throw new Refusal('--recording needs --market replay beside it.');
  if (market === 'replay') requireRecording(recording, from);
  const data = given.get('--data');
  const install = given.has('--install');
  if (install && given.size > 1 && !given.has('--help')) throw new Refusal('--install stands alone.');
  const isTemporary = (ci || install) && data === undefined && !given.has('--help');
  const seed = wholeOf('--seed', given.get('--seed') ?? '1', 0, SEED_MAX);
  const hasPort = given.has('--port');
  const wanted = given.get('--port') ?? (process.env['PORT'] || '3000');
  const port = ci && !hasPort ? 0 : wholeOf(hasPort ? '--port' : 'PORT', wanted, 1, 65_535);
  return {
    data: data === undefined ? resolve(PROJECT_DIR, 'var') : dataFolder(data, from),
    port,
    ...{ ci, isTemporary, seed, moving: given.has('--moving'), attached: given.has('--attached') },
    install,
    market,
    recording: recording === undefined ? undefined : resolve(from, recording),
    once: given.has('--once'),
    observe: given.has('--observe'),
    rootAccount: given.has('--root-account'),
    newDemo: given.has('--new-demo'),
    help: given.has('--help'),
  };
}

/**
 * @param {readonly string[]} args
 * @returns {Map<string, string>}
 */
function collect(args) {
  const given = new Map();
  for (let at = 0; at < args.length; at++) {
    const word = /** @type {string} */ (args[at]);
    const [name, ...rest] = word.split('=');
    const attached = rest.length > 0 ? rest.join('=') : undefined;
    if (name === undefined || (!VALUE_OPTIONS.includes(name) && !FLAGS.includes(name))) {
      throw new Refusal(`There is no option "${word}"; bin/start --help shows those there are.`);
    }
    if (given.has(name)) throw new Refusal(`${name} is given twice.`);
    if (FLAGS.includes(name)) {
      if (attached !== undefined) throw new Refusal(`${name} takes no value.`);
      given.set(name, '');
      continue;
    }
    const value = attached ?? args[++at];
    if (value === undefined || value === '' || (attached === undefined && value.startsWith('--'))) {
      throw new Refusal(`${name} needs a value.`);
    }
    given.set(name, value);
  }
  return given;
}

/**
 * @param {string} text
 * @returns {text is 'live' | 'emulated' | 'replay'}
 */
function isMarket(text) {
  return MARKETS.some((market) => market === text);
}

/**
 * @param {ReadonlyMap<string, string>} given
 * @param {boolean} ci
 */
function requireTogether(given, ci) {
  const stranger = (ci ? NOT_CI : ONLY_CI).find((name) => given.has(name));
  if (stranger !== undefined) throw new Refusal(`${stranger} ${ci ? 'cannot stand beside' : 'needs'} --ci.`);
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} min
 * @param {number} max
 */
function wholeOf(name, text, min, max) {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (value < min || value > max) throw new Refusal(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  return value;
}

/**
 * @param {string} text
 * @param {string} from
 */
function dataFolder(text, from) {
  const path = resolve(from, text);
  if (existsSync(path) && !statSync(path).isDirectory()) throw new Refusal(`--data ${text} is a file, not a folder.`);
  return path;
}

/**
 * @param {string | undefined} recording
 * @param {string} from
 */
function requireRecording(recording, from) {
  if (recording === undefined) throw new Refusal('--market replay needs --recording FILE, made with dist/market/recorder.js.');
  const path = resolve(from, recording);
  if (!existsSync(path) || !statSync(path).isFile()) throw new Refusal(`--recording ${recording} is not a file.`);
  if (!isRecording(path)) throw new Refusal(`--recording ${recording} is not a recording of dist/market/recorder.js.`);
}

/**
 * Whether the file begins like a recording; the player reports later faults.
 * @param {string} path
 */
function isRecording(path) {
  const file = openSync(path, 'r');
  try {
    const expected = path.endsWith('.gz') ? GZIP_BEGIN : RECORDING_BEGIN;
    const begin = Buffer.alloc(expected.length);
    readSync(file, begin);
    return begin.equals(expected);
  } finally {
    closeSync(file);
  }
}
