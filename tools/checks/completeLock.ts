// `npm run lock`: completes package-lock.json with the packages of other machines. Run it after a change of packages.
import { readFileSync, writeFileSync } from 'node:fs';
import { completed } from './lockFile.ts';

const file = new URL('../../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: completed(lock.packages) }, null, 2)}\n`);
