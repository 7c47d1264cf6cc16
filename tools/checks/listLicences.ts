// `npm run licences`: prints the list; the status is 1 when a licence is not agreed to.
import { licences } from './licences.ts';

const all = licences();
for (const { name, version, licence, isAgreed } of all) {
  process.stdout.write(`${licence.padEnd(18)} ${name} ${version}${isAgreed ? '' : '   NOT AGREED'}\n`);
}
process.exitCode = all.every(({ isAgreed }) => isAgreed) ? 0 : 1;
