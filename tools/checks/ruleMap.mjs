// Writes docs/rules/index.md: from each rule to its code and tests. Run by `npm run rules`.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { INDEX, indexPage, readProject } from '../../test/rules/ruleMap.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
writeFileSync(root + INDEX, indexPage(readProject(root)));
console.log(`${INDEX} is up to date`);
