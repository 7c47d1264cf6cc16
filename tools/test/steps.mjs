// The steps of bin/test. Most tests wait (for a lease, a restart, a registry) as much as they compute, so several steps run side
// by side (schedule.mjs): first the cheap checks, so that a typing mistake does not wait for ten minutes, then what takes
// longest, so that no long step is left for the end. Long steps are parted by folders. Of the parts of a kind one runs what the
// others do not name, and test/start/steps.test.ts looks that each test is in one step.
import { availableParallelism } from 'node:os';

/**
 * @typedef {'checkout' | 'stores' | 'clients' | 'browser' | 'otherNode'} Need the packages and dist; Redis and MongoDB too; the
 *   python clients too; the stores and Chromium; the other version of Node
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly import('./options.mjs').Group[]} groups beside `all`
 * @property {readonly string[]} command words after `node`
 * @property {boolean} [isLong] takes minutes that `all` does not spend
 * @property {Need} [needs] what must be there before it begins; `checkout` without it
 * @property {Readonly<Record<string, string>>} [env] beside what it needs
 * @property {Tests} [tests] its tests are counted; without them the step is one check
 *
 * @typedef {object} Tests
 * @property {readonly string[]} files patterns
 * @property {readonly string[]} [ignored] patterns of files that other steps run
 * @property {number} seconds about so many on two cores that do the other steps, too; the order follows from it
 */

/**
 * Two steps a core: a step computes for half of its time; with one more, stores were so late that tests took them for away. More than
 * eight would be as many stores and registries.
 */
export const PLACES = Math.min(8, 2 * availableParallelism());

const bin = (/** @type {string} */ path) => `node_modules/${path}`;
const notUnit = ['test/**/*.{int,e2e,browser}.test.ts', 'test/faults/**'];
const int = (/** @type {readonly string[]} */ folders) => folders.map((folder) => `test/${folder}/**/*.int.test.ts`);
const faults = (/** @type {readonly string[]} */ names) => names.map((name) => `test/faults/${name}.test.ts`);

const ACTORS = int(['actors']);
const ENDPOINTS = int(['access', 'account', 'accounts', 'auth'].map((folder) => `api/${folder}`));
const OPERATION = int(['features', 'jobs', 'operators', 'shared', 'start', 'support']);
const CLIENTS = ['test/compat/**/*.int.test.ts', 'test/clients/**/*.int.test.ts'];
const STORES_DIE = faults([
  'redisCluster',
  'redisPartial',
  'redisReplicas',
  'clusterStart',
  'mongoPrimary',
  'stores',
  'lostTail',
]);
const DRILLS = faults(['backup', 'upgrade', 'processes', 'pods']);
const FEATURES = faults([
  ...['advance', 'alerts', 'billing', 'export', 'import', 'lab', 'mirror', 'operators', 'reset', 'whatIf'],
]);
/** Unit tests of what no Node runs: texts, manifests, and code of the page. */
const NOT_OF_NODE = ['test/*.test.ts', 'test/{clients,dashboard,deploy,rules}/**'];

/** @type {readonly Step[]} */
const CHECKS = [
  { name: 'format', groups: [], command: [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'] },
  {
    name: 'lint',
    groups: [],
    command: [bin('oxlint/bin/oxlint'), '--deny-warnings', '--report-unused-disable-directives', 'src', 'test', 'bench'],
  },
  // The compiler of editors. TypeScript 7 is faster, but has no programming interface, which dependency-cruiser needs.
  { name: 'types', groups: [], command: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of the dashboard', groups: [], command: [bin('typescript/bin/tsc'), '-p', 'src/dashboard/tsconfig.json'] },
  { name: 'types of tools', groups: [], command: [bin('typescript/bin/tsc'), '-p', 'tsconfig.tools.json'] },
  { name: 'boundaries', groups: [], command: ['tools/checks/boundaries.mjs', '--exact'] },
  { name: 'plain English in comments', groups: [], command: ['tools/checks/reading.mjs', '--exact'] },
  { name: 'dead code', groups: [], command: [bin('knip/bin/knip.js'), '--no-progress'] },
  // The same check with the service's own entry points alone: code that only tests and benches call is dead, too.
  {
    name: 'code that only tests call',
    groups: [],
    command: [
      bin('knip/bin/knip.js'),
      '--no-progress',
      '--config',
      'knip.src.json',
      '--include',
      'files,exports,types,duplicates',
    ],
  },
];

/** @type {readonly Step[]} */
const TESTS = [
  tests('unit tests', ['unit'], { seconds: 780, files: ['test/**/*.test.ts'], ignored: notUnit }),
  // Code that runs on one of the two promised versions of Node has to run on the other. Fewer lives: the first run has them.
  tests(
    'unit tests on another Node',
    [],
    { seconds: 140, files: ['test/**/*.test.ts'], ignored: [...notUnit, ...NOT_OF_NODE] },
    { needs: 'otherNode', env: { LIVES: '1000' } },
  ),
  tests('client tests', ['compat'], { seconds: 205, files: ['test/compat/**/*.int.test.ts'] }, { needs: 'clients' }),
  tests(
    'pages as readers follow them',
    ['clients', 'clients-all'],
    { seconds: 300, files: ['test/pages/*.e2e.test.ts'] },
    { needs: 'clients' },
  ),
  tests(
    'contract as others read it',
    ['clients', 'clients-all'],
    { seconds: 150, files: ['test/clients/*.int.test.ts'] },
    { needs: 'clients' },
  ),
  tests(
    'packages for users',
    ['clients', 'clients-all'],
    { seconds: 400, files: ['test/clients/packages/*.int.test.ts'] },
    { needs: 'clients' },
  ),
  tests(
    'examples of clients that take long',
    ['clients-all'],
    { seconds: 3600, files: ['test/clients/long/*.int.test.ts'] },
    { needs: 'clients', isLong: true },
  ),
  tests('integration tests of actors', ['int'], { seconds: 295, files: ACTORS }, { needs: 'stores' }),
  tests('integration tests of users and keys', ['int'], { seconds: 240, files: ENDPOINTS }, { needs: 'stores' }),
  tests('integration tests of features, jobs and tools', ['int'], { seconds: 650, files: OPERATION }, { needs: 'stores' }),
  tests(
    'integration tests',
    ['int'],
    {
      seconds: 950,
      files: ['test/**/*.int.test.ts'],
      ignored: ['test/faults/**', ...CLIENTS, ...ACTORS, ...ENDPOINTS, ...OPERATION],
    },
    { needs: 'stores' },
  ),
  tests(
    'tests of the running system',
    ['int'],
    { seconds: 450, files: ['test/**/*.e2e.test.ts'], ignored: ['test/faults/**', 'test/pages/**'] },
    { needs: 'clients' },
  ),
  tests('fault tests of stores', ['faults'], { seconds: 440, files: STORES_DIE }, { needs: 'stores' }),
  tests('fault tests of drills', ['faults'], { seconds: 590, files: DRILLS }, { needs: 'stores' }),
  tests('fault tests of features', ['faults'], { seconds: 900, files: FEATURES }, { needs: 'stores' }),
  tests(
    'fault tests',
    ['faults'],
    { seconds: 700, files: ['test/faults/**/*.test.ts'], ignored: [...STORES_DIE, ...DRILLS, ...FEATURES] },
    { needs: 'stores' },
  ),
  tests(
    'walks through the dashboard',
    ['browser'],
    { seconds: 500, files: ['test/dashboard/walks/*.browser.test.ts'] },
    { needs: 'browser' },
  ),
  tests(
    'pages of the dashboard',
    ['browser'],
    { seconds: 330, files: ['test/dashboard/**/*.browser.test.ts'], ignored: ['test/dashboard/walks/**'] },
    { needs: 'browser' },
  ),
];

/** The most urgent first. */
export const STEPS = [...CHECKS, ...TESTS.toSorted((a, b) => (b.tests?.seconds ?? 0) - (a.tests?.seconds ?? 0))];

/** The step that looks at all steps when they have ended. @type {Step} */
export const LAST = { name: 'a test has run each script', groups: [], command: ['tools/test/scriptsRun.mjs'] };

/**
 * @param {string} name
 * @param {Step['groups']} groups
 * @param {Tests} which
 * @param {Pick<Step, 'needs' | 'env' | 'isLong'>} [rest]
 * @returns {Step}
 */
function tests(name, groups, which, rest) {
  const ignored = (which.ignored ?? []).flatMap((file) => ['--ignore', file]);
  const mocha = [bin('mocha/bin/mocha.js'), '--reporter', 'tools/test/reporter.mjs'];
  // A test that failed in the middle leaves connections behind; the run shall end all the same and say so.
  return { name, groups, tests: which, command: [...mocha, '--exit', ...ignored, ...which.files], ...rest };
}
