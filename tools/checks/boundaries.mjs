// Runs dependency-cruiser over src, test and bench and fails when it saw none of src's files: with a TypeScript version
// that it does not know it looks at nothing and calls that well done.

import { existsSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-config';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const config = await extractOptions('./.dependency-cruiser.mjs');
const folders = ['src', 'test', 'bench'].filter((folder) => existsSync(folder));
const { output } = await cruise(folders, { ...config.options, ruleSet: config, validate: true }, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
});
const { modules, summary } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
for (const { from, to, rule } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
const seen = modules.filter(({ source }) => source.startsWith('src/')).length;
const pure = modules.filter(({ source }) => /^src\/.*\/domain\//.test(source)).length;
if (seen === 0 || pure === 0) {
  console.error('dependency-cruiser looked at no file of src: does it know this version of TypeScript?');
  process.exit(1);
}
console.log(`${seen} files of src, ${pure} of them pure; ${summary.violations.length} forbidden imports`);
process.exit(summary.violations.length === 0 ? 0 : 1);
