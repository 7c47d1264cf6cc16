// The files that a failed round leaves for the search for the fault: the schedule, the failure, the processes' logs, and for each
// bot its answers and the journal of its account.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fleet } from './fleet.ts';
import type { RoundResult } from './round.ts';

const DIR = fileURLToPath(new URL('../../var/chaos', import.meta.url));

/** @returns the folder */
export function keepEvidence(fleet: Fleet, { seed, schedule, failure, load }: RoundResult): string {
  const dir = join(DIR, `${seed}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(dir, { recursive: true });
  const write = (name: string, content: unknown): void =>
    writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content, undefined, 1));
  write('schedule.json', schedule);
  write('failure.txt', String(failure?.stack));
  for (const { logFile } of fleet.faults.stack.processes.values()) copyFileSync(logFile, join(dir, basename(logFile)));
  for (const { account, operations, violations } of load?.bots ?? []) {
    write(`${account.address}.json`, { operations, violations, journal: fleet.faults.tap.entriesOf(account.address) });
  }
  return dir;
}
