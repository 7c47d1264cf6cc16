// The steps of bin/test, in parallel lanes for two cores, three of which take about as long: most tests wait (for a
// lease, a restart) as much as they compute. In the first lane the cheap checks come first, so that a typing mistake
// does not wait for ten minutes.

/**
 * @typedef {'checkout' | 'stores' | 'clients' | 'browser' | 'otherNode'} Need the packages and dist; Redis and MongoDB too; the
 *   python clients too; the stores and Chromium; the other version of Node
 *
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly import('./options.mjs').Group[]} groups beside `all`
 * @property {boolean} [isLong] takes minutes that `all` does not spend
 * @property {readonly string[]} command words after `node`
 * @property {Need} [needs] what must be there before it begins; `checkout` without it
 * @property {Readonly<Record<string, string>>} [env] beside what it needs
 * @property {boolean} [mocha] its tests are counted; without it the step is one check
 */

const bin = (/** @type {string} */ path) => `node_modules/${path}`;
const notUnit = ['test/**/*.{int,e2e,browser}.test.ts', 'test/faults/**'];
/** Integration tests that run beside the others, so that the lanes take as long. */
const ASIDE = ['admin', 'jobs', 'shared', 'start', 'support'].map((folder) => `test/${folder}/**/*.int.test.ts`);
const notInt = ['test/faults/**', 'test/compat/**', 'test/clients/**', ...ASIDE];
const notE2e = ['test/faults/**'];
/** Fault tests that run beside the others, for the same reason. */
const FAULTS_ASIDE = ['clusterStart', 'redisPartial'].map((name) => `test/faults/${name}.test.ts`);

/** @type {readonly Step[]} */
const CHECKS_AND_RULES = [
  { name: 'format', groups: [], command: [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'] },
  {
    name: 'lint',
    groups: [],
    command: [bin('oxlint/bin/oxlint'), '--deny-warnings', '--report-unused-disable-directives', 'src', 'test', 'bench'],
  },
  // The seventh TypeScript checks in a fifth of the time; the sixth stays for dependency-cruiser, which needs its programming interface.
  { name: 'types', groups: [], command: [bin('typescript-7/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of the dashboard', groups: [], command: [bin('typescript-7/bin/tsc'), '-p', 'src/dashboard/tsconfig.json'] },
  { name: 'types of tools', groups: [], command: [bin('typescript-7/bin/tsc'), '-p', 'tsconfig.tools.json'] },
  { name: 'boundaries', groups: [], command: ['tools/checks/boundaries.mjs'] },
  { name: 'dead code', groups: [], command: [bin('knip/bin/knip.js'), '--no-progress'] },
  // Again with the service's own entry points alone: what only its tests and benches call is dead, too.
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
  { name: 'unit tests', groups: ['unit'], mocha: true, command: mocha(['test/**/*.test.ts'], notUnit) },
  {
    name: 'client tests',
    groups: ['compat'],
    needs: 'clients',
    mocha: true,
    command: mocha(['test/compat/**/*.int.test.ts'], []),
  },
  {
    name: 'examples of clients',
    groups: ['clients', 'clients-all'],
    needs: 'clients',
    mocha: true,
    command: mocha(['test/clients/*.int.test.ts'], []),
  },
  {
    name: 'packages for users',
    groups: ['clients', 'clients-all'],
    needs: 'clients',
    mocha: true,
    command: mocha(['test/clients/packages/*.int.test.ts'], []),
  },
  {
    name: 'examples of clients that take long',
    groups: ['clients-all'],
    isLong: true,
    needs: 'clients',
    mocha: true,
    command: mocha(['test/clients/long/*.int.test.ts'], []),
  },
  // What runs on one of the two versions that are promised has to run on the other one. Fewer lives: the first run has them.
  {
    name: 'unit tests on another Node',
    groups: [],
    needs: 'otherNode',
    mocha: true,
    env: { LIVES: '1000' },
    command: mocha(['test/**/*.test.ts'], notUnit),
  },
  { name: 'integration tests of jobs and tools', groups: ['int'], needs: 'stores', mocha: true, command: mocha(ASIDE, []) },
  { name: 'fault tests of clusters', groups: ['faults'], needs: 'stores', mocha: true, command: mocha(FAULTS_ASIDE, []) },
];

/** @type {readonly Step[]} */
const PARTS_AND_WHOLE = [
  { name: 'integration tests', groups: ['int'], needs: 'stores', mocha: true, command: mocha(['test/**/*.int.test.ts'], notInt) },
  {
    name: 'tests of the running system',
    groups: ['int'],
    needs: 'clients',
    mocha: true,
    command: mocha(['test/**/*.e2e.test.ts'], notE2e),
  },
];

/** @type {readonly Step[]} */
const FAULTS = [
  {
    name: 'fault tests',
    groups: ['faults'],
    needs: 'stores',
    mocha: true,
    command: mocha(['test/faults/**/*.test.ts'], FAULTS_ASIDE),
  },
];

/** @type {readonly Step[]} */
const DASHBOARD = [
  {
    name: 'dashboard in a browser',
    groups: ['browser'],
    needs: 'browser',
    mocha: true,
    command: mocha(['test/dashboard/**/*.browser.test.ts'], []),
  },
];

/** Steps of a lane run one after the other. */
export const LANES = [CHECKS_AND_RULES, PARTS_AND_WHOLE, FAULTS, DASHBOARD];

/** What looks at all lanes when they have ended. @type {Step} */
export const LAST = { name: 'a test has run each script', groups: [], command: ['tools/test/scriptsRun.mjs'] };

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} ignored
 */
function mocha(files, ignored) {
  return [
    bin('mocha/bin/mocha.js'),
    '--reporter',
    'tools/test/reporter.mjs',
    // A test that failed in the middle leaves connections behind; the run shall end all the same and say so.
    '--exit',
    ...ignored.flatMap((file) => ['--ignore', file]),
    ...files,
  ];
}
