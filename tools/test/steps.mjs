// What bin/test runs, in two lanes beside each other: what only reads or computes, the cheap checks first, so that a typing
// mistake does not wait for ten minutes; and what starts the service, the faults last, when the other lane has ended.

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly import('./options.mjs').Group[]} groups beside `all`
 * @property {readonly string[]} command words after `node`
 * @property {boolean} [mocha] its tests are counted; without it the step is one check
 */

const bin = (/** @type {string} */ path) => `node_modules/${path}`;
const notUnit = ['test/**/*.int.test.ts', 'test/**/*.e2e.test.ts', 'test/faults/**'];
const notInt = ['test/faults/**', 'test/compat/**'];

/** @type {readonly Step[]} */
const CHECKS = [
  { name: 'format', groups: [], command: [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'] },
  { name: 'lint', groups: [], command: [bin('eslint/bin/eslint.js'), '--max-warnings', '0', '.'] },
  { name: 'types', groups: [], command: [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'] },
  { name: 'types of tools', groups: [], command: [bin('typescript/bin/tsc'), '-p', 'tsconfig.tools.json'] },
  { name: 'boundaries', groups: [], command: ['tools/checks/boundaries.mjs'] },
  { name: 'dead code', groups: [], command: [bin('knip/bin/knip.js'), '--no-progress'] },
  { name: 'unit tests', groups: ['unit'], mocha: true, command: mocha(['test/**/*.test.ts'], notUnit) },
];

/** @type {readonly Step[]} */
const RUNNING = [
  { name: 'integration tests', groups: ['int'], mocha: true, command: mocha(['test/**/*.int.test.ts'], notInt) },
  {
    name: 'client tests',
    groups: ['compat'],
    mocha: true,
    command: mocha(['test/compat/**/*.int.test.ts', 'test/compat/**/*.e2e.test.ts'], []),
  },
  {
    name: 'tests of the running system',
    groups: ['int'],
    mocha: true,
    command: mocha(['test/**/*.e2e.test.ts'], ['test/compat/**', 'test/faults/**']),
  },
  { name: 'fault tests', groups: ['faults'], mocha: true, command: mocha(['test/faults/**/*.test.ts'], []) },
];

/** Steps of a lane run one after the other. */
export const LANES = [CHECKS, RUNNING];

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
