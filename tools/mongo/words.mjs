// Prints the arguments after `java` that run the stand-in for MongoDB, as JSON: `node words.mjs FOLDER`. It fetches
// the libraries into the folder if they are missing.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standInWords } from './standIn.mjs';

const [jars] = process.argv.slice(2);
if (!jars) throw new Error('which folder?');
if (!existsSync(jars) || readdirSync(jars).length === 0) {
  const fresh = `${jars}.${process.pid}`;
  const pom = join(dirname(fileURLToPath(import.meta.url)), 'pom.xml');
  execFileSync('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', `-DoutputDirectory=${fresh}`]);
  rmSync(jars, { recursive: true, force: true });
  renameSync(fresh, jars);
}
console.log(JSON.stringify(await standInWords(jars)));
