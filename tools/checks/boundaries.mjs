// Runs dependency-cruiser over src, test and bench, and looks at the folders of src: knots of folders, and folders that are too small.
// It proves that it would notice a violation: it cruises a made-up tree of violations (violations.mjs) under the same rules and
// fails when a rule stays silent. It also fails when it saw no file of src, because dependency-cruiser reads nothing
// under a TypeScript version that it does not know, and reports success.
// `--knots` prints knots and small folders. `--exact` fails, too, when figures.json could be lower; `--tighten` makes it so.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { figureFaults, knownFigures, tighten } from './figures.mjs';
import { FLOORS, floorFaults } from './floors.mjs';
import { foldersIn, idleReasons, knotsOf, smallFolders } from './folders.mjs';
import { FILES, VIOLATIONS } from './violations.mjs';

const config = await extractOptions('./.dependency-cruiser.mjs');
const tsConfig = extractTSConfig('tsconfig.json');

const asked = new Set(process.argv.slice(2));
const { modules, imports, violations } = await look(process.cwd());
const files = modules.filter((source) => source.startsWith('src/'));
const paths = filesUnder('src');
const knots = knotsOf(imports);
const small = smallFolders(paths);
const figures = { foldersInCircles: foldersIn(knots), smallFolders: small.length };
if (asked.has('--tighten')) tighten(figures);
if (asked.has('--knots')) {
  for (const { folder, members } of knots) console.log(`${folder}: ${members.join(', ')}`);
  console.log(`small: ${small.join(', ')}`);
}
const pure = files.filter((source) =>
  /\/domain\/|^src\/actors\/core\/|^src\/features\/(?:[^/]+\/)?rules(?:\.ts$|\/)/.test(source),
);
const faults = [
  ...violations,
  ...floorFaults(paths),
  ...idleReasons(paths),
  ...figureFaults(figures, { known: knownFigures(), isExact: asked.has('--exact') }),
  ...(await sleepingRules()),
  ...sleepingFolderChecks(),
  ...(files.length === 0 || pure.length === 0
    ? ['dependency-cruiser looked at no file of src: does it know this version of TypeScript?']
    : []),
];
for (const fault of faults) console.error(fault);
console.log(
  `${files.length} files of src, ${pure.length} of them pure; ${figures.foldersInCircles} folders in ${knots.length} knots, ${small.length} small; ` +
    `${faults.length} faults; ${rules().length} rules are awake`,
);
process.exit(faults.length === 0 ? 0 : 1);

/** All files under `baseDir`, and the imports that break a rule. @param {string} baseDir */
async function look(baseDir) {
  const folders = ['src', 'test', 'bench'].filter((folder) => existsSync(join(baseDir, folder)));
  const options = { ...config.options, ruleSet: config, validate: true, baseDir };
  const { output } = await cruise(folders, options, undefined, { tsConfig });
  const result = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
  return {
    modules: result.modules.map(({ source }) => source),
    imports: result.modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => ({ from: source, to: resolved })).filter(({ from, to }) => isOfSrc(from) && isOfSrc(to)),
    ),
    violations: result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  };
}

/** @param {string} path */
function isOfSrc(path) {
  return path.startsWith('src/');
}

/** @param {string} folder @returns {string[]} */
function filesUnder(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
}

/** @returns {string[]} names of all rules */
function rules() {
  return (config.forbidden ?? []).map(({ name }) => String(name));
}

/** Rules that say too little or too much about the made-up tree. @returns {Promise<string[]>} */
async function sleepingRules() {
  const folder = mkdtempSync(join(tmpdir(), 'boundaries-'));
  try {
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const found = new Set((await look(folder)).violations);
    const wanted = new Set(VIOLATIONS.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`));
    const tried = new Set(VIOLATIONS.map(({ rule }) => rule));
    return [
      ...[...wanted].filter((text) => !found.has(text)).map((text) => `a rule is asleep, it did not find ${text}`),
      ...[...found].filter((text) => !wanted.has(text)).map((text) => `a rule forbids what is allowed: ${text}`),
      ...rules().flatMap((name) => (tried.has(name) ? [] : [`violations.mjs does not try the rule ${name}`])),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The same for what is looked at beside the rules: each made-up case, and what has to be seen in it. @returns {string[]} */
function sleepingFolderChecks() {
  const imports = (/** @type {readonly string[]} */ ...pairs) =>
    pairs.map((pair) => {
      const [from = '', to = ''] = pair.split(' -> ');
      return { from, to };
    });
  const circle = imports(
    'src/a/b/one.ts -> src/a/c/d/two.ts',
    'src/a/c/three.ts -> src/a/b/four.ts',
    'src/a/b/five.ts -> src/e/six.ts',
  );
  const withOwnFiles = imports('src/a/list.ts -> src/a/b/one.ts', 'src/a/b/two.ts -> src/a/kind.ts');
  const line = imports(
    'src/a/b/one.ts -> src/a/c/two.ts',
    'src/a/c/two.ts -> src/a/d/three.ts',
    'src/a/b/one.ts -> src/a/d/three.ts',
  );
  const known = { foldersInCircles: 4 };
  const cases = /** @type {const} */ ([
    ['a knot', knotsOf(circle), [{ folder: 'src/a', members: ['b', 'c'] }]],
    ['a knot with files of its own', knotsOf(withOwnFiles), [{ folder: 'src/a', members: ['.', 'b'] }]],
    [
      'a role that composes',
      knotsOf(imports('src/api/role.ts -> src/features/all.ts', 'src/features/all.ts -> src/api/registry.ts')),
      [],
    ],
    ['folders in a line', knotsOf(line), []],
    ['a small folder', smallFolders(['src/a/one.ts', 'src/b/one.ts', 'src/b/two.ts', 'src/b/three.ts', 'src/c.ts']), ['src/a']],
    [
      'a feature',
      smallFolders(['src/features/twap/rules.ts', 'src/features/all.ts', 'src/features/some.ts', 'src/a.ts', 'src/b.ts']),
      [],
    ],
    ['a reason that is not needed', idleReasons(['src/a/one.ts'], { 'src/gone': 'was here once', 'src/a': 'one' }).length, 1],
    [
      'a floor',
      floorFaults(['src/actors/core/attic/old.ts', ...FLOORS.map((floor) => `src/actors/core/${floor}/one.ts`)]).length,
      1,
    ],
    ['a figure that has grown', figureFaults({ foldersInCircles: 5 }, { known, isExact: false }).length, 1],
    ['a figure that has fallen', figureFaults({ foldersInCircles: 3 }, { known, isExact: true }).length, 1],
    ['a figure as it was', figureFaults({ foldersInCircles: 4 }, { known, isExact: true }).length, 0],
  ]);
  return cases.flatMap(([name, seen, wanted]) =>
    JSON.stringify(seen) === JSON.stringify(wanted) ? [] : [`a check is asleep, it sees ${JSON.stringify(seen)} for ${name}`],
  );
}
