// The last step of bin/test: each Lua script of src has been run by a test. Tests hold every call of theirs against the rule of
// Redis Cluster (test/support/scriptKeys.ts), so nobody would have held a script that no test runs against that rule. SCRIPTS_FILE
// is the file in which the runs of mocha have left the names of what they ran.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const made = scriptsOf('src');
const file = process.env['SCRIPTS_FILE'];
const ran = new Set(file && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
const faults = made.flatMap(({ name, file }, at) => {
  if (name === undefined) return [`${file}: a script has no name written out`];
  if (made.findIndex((other) => other.name === name) !== at) return [`${file}: another script has the name ${name}, too`];
  return ran.has(name) ? [] : [`${file}: no test has run the script ${name} in its own process`];
});
if (made.length === 0) faults.push('no script was found in src');
for (const fault of faults) console.error(fault);
process.exit(faults.length === 0 ? 0 : 1);

/** @param {string} folder @returns {{ name: string | undefined, file: string }[]} */
function scriptsOf(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((path) => {
    const file = join(folder, path);
    const calls = readFileSync(file, 'utf8').matchAll(/\bnew Script\(\s*(?:'(\w+)')?/g);
    return [...calls].map(([, name]) => ({ name, file }));
  });
}
