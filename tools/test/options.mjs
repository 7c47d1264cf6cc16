// The command line of bin/test.
import { Refusal } from '../start/refusal.mjs';
import { seedOfSources } from './seed.mjs';

export const USAGE = `Checks and tests this project, from nothing: installs what is missing, then runs

  bin/test [unit|int|compat|clients|clients-all|browser|faults|all] [--seeds N] [--seed S]

  all (default)   format, lint, types, boundaries, dead code, and every test
  unit            the pure tests
  int             integration tests on a real Redis and a server with MongoDB's protocol
  compat          unmodified clients (ccxt, nktkas, hyperliquid-python-sdk) against the running system
  clients         the examples of docs/clients.md, each installed and run as that page says
  clients-all     those too that take minutes to install or build; "all" leaves them out
  browser         the dashboard in a real browser; pictures of every page stay in var/test/screenshots
  faults          kill -9 and worse, with N seeds (default 1)
  --seed S        what the random tests draw; without it the commit's own: the same sources, the same run

Its last line is "N passed, N failed". What it makes stays below var/.
`;

const GROUPS = /** @type {const} */ (['unit', 'int', 'compat', 'clients', 'clients-all', 'browser', 'faults', 'all']);
/** @typedef {typeof GROUPS[number]} Group */

/**
 * @param {readonly string[]} args
 * @returns {{ group: Group, seeds: number, seed: number, help: boolean }}
 * @throws {Refusal} one sentence that names what is wrong
 */
export function parseOptions(args) {
  let group = /** @type {Group | undefined} */ (undefined);
  let seeds = 1;
  let seed = seedOfSources();
  let help = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const known = GROUPS.find((name) => name === word);
    if (known) {
      if (group) throw new Refusal(`Give one group only, not both ${group} and ${known}.`);
      group = known;
    } else if (word === '--seeds') seeds = wholeNumber('--seeds', args[++at]);
    else if (word === '--seed') seed = wholeNumber('--seed', args[++at]);
    else if (word === '--help') help = true;
    else throw new Refusal(`There is no option or group "${word}"; bin/test --help shows those there are.`);
  }
  return { group: group ?? 'all', seeds, seed, help };
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function wholeNumber(name, text = '') {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Refusal(`${name} needs a whole number from 1, not "${text}".`);
  return Number(text);
}
