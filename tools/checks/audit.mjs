// `npm run audit`: known holes in the packages that the service runs with, by the registry's list of advisories. A mirror of
// the registry may have no such list: then it says that it cannot tell, with a status of its own, so that silence is never
// taken for "no holes".
import { execFile } from 'node:child_process';
import { PROJECT_DIR } from '../start/project.mjs';

/** Statuses: 0 no holes, 1 holes, 2 the registry has no list. */
const CANNOT_TELL = 2;

/** @returns {Promise<string>} npm's JSON, whatever its status */
function askRegistry() {
  return new Promise((resolve) => {
    const args = ['audit', '--omit=dev', '--json', '--audit=true'];
    execFile('npm', args, { cwd: PROJECT_DIR, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout));
  });
}

/**
 * @param {string} text
 * @returns {{ metadata?: { vulnerabilities: { total: number } }, vulnerabilities?: Record<string, { severity: string }> }}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // npm itself failed: the registry is not there
  }
}

const { metadata, vulnerabilities = {} } = parsed(await askRegistry());
if (metadata === undefined) {
  process.stderr.write(
    'The registry has no list of advisories, so holes cannot be looked for here: run this where npm reaches one, or look the ' +
      'packages of `npm run sbom` up in another list.\n',
  );
  process.exitCode = CANNOT_TELL;
} else {
  for (const [name, { severity }] of Object.entries(vulnerabilities)) process.stdout.write(`${severity.padEnd(9)} ${name}\n`);
  process.stdout.write(`${metadata.vulnerabilities.total} known holes\n`);
  process.exitCode = metadata.vulnerabilities.total === 0 ? 0 : 1;
}
