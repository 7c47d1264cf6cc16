// The seed of a run of all tests. It follows from the committed sources: every change is tried with other random lives,
// and one commit is always tried with the same, so that a run that was green stays green.
import { spawnSync } from 'node:child_process';
import { PROJECT_DIR } from '../start/project.mjs';

/** From 1; 1 where there is no git history to read. */
export function seedOfSources() {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD:src', 'HEAD:test'], { cwd: PROJECT_DIR, encoding: 'utf8' });
  if (status !== 0) return 1;
  const digits = stdout.split('\n').map((id) => Number.parseInt(id.slice(0, 6), 16) || 0);
  return 1 + (digits.reduce((sum, part) => sum + part, 0) % 1_000_000);
}
