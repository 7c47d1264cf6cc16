// Runs dependency-cruiser over src, test and bench, and counts the files of each folder of src. First it proves that
// it would notice a violation: it cruises a made-up tree of violations (violations.mjs) under the same rules and
// fails when a rule stays silent. It also fails when it saw no file of src, because dependency-cruiser reads nothing
// under a TypeScript version that it does not know, and reports success.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { FLOORS, FOLDER_FILES_MAX, folderFaults } from './floors.mjs';
import { FILES, VIOLATIONS } from './violations.mjs';

const config = await extractOptions('./.dependency-cruiser.mjs');
const tsConfig = extractTSConfig('tsconfig.json');

const { modules, violations } = await look(process.cwd());
const files = modules.filter((source) => source.startsWith('src/'));
const pure = files.filter((source) => /\/domain\/|^src\/actors\/core\/|^src\/features\/[^/]+\/rules(?:\.ts$|\/)/.test(source));
const faults = [
  ...violations,
  ...folderFaults(filesUnder('src')),
  ...(await sleepingRules()),
  ...sleepingFolderChecks(),
  ...(files.length === 0 || pure.length === 0
    ? ['dependency-cruiser looked at no file of src: does it know this version of TypeScript?']
    : []),
];
for (const fault of faults) console.error(fault);
console.log(
  `${files.length} files of src, ${pure.length} of them pure; ${faults.length} faults; ${rules().length} rules are awake`,
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
    violations: result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  };
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

/** The same for the count of files in a folder. @returns {string[]} */
function sleepingFolderChecks() {
  const folder = (/** @type {string} */ path, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, index) => `${path}/file${index}.ts`);
  const full = folder('src/jobs', FOLDER_FILES_MAX);
  const crowded = folder('src/api/info', FOLDER_FILES_MAX + 1);
  const unknown = folder('src/actors/core/attic', 1);
  const known = FLOORS.flatMap((floor) => folder(`src/actors/core/${floor}`, 1));
  const cases = /** @type {const} */ ([
    [[...full, ...known], {}, 0],
    [crowded, {}, 1],
    [crowded, { 'src/api/info': 'one file an answer' }, 0],
    [crowded, { 'src/api/info': '' }, 1],
    [full, { 'src/jobs': 'one file a job' }, 1],
    [full, { 'src/gone': 'was here once' }, 1],
    [unknown, {}, 1],
  ]);
  return cases.flatMap(([paths, larger, count], index) => {
    const faults = folderFaults(paths, larger);
    return faults.length === count ? [] : [`the check of folders gives ${faults.length} faults for case ${index}, not ${count}`];
  });
}
