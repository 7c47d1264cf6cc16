// Whether the process with an id is still the expected one. Ids are reused, so a pid file says nothing without the
// time its process began, and only a process that is certainly ours may be stopped.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/**
 * When the process began, in whatever form the system tells it.
 * @param {number} pid
 * @returns {string | undefined} undefined: it does not run
 */
export function beginOf(pid) {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  return existsSync('/proc/self/stat') ? beginFromProc(pid) : beginFromPs(pid);
}

/**
 * @param {{ pid: number, began: string } | undefined} record
 * @returns {boolean} whether the very process that the record was made of still runs
 */
export const stillRuns = (record) => record !== undefined && beginOf(record.pid) === record.began;

/** @param {number} pid */
function beginFromProc(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // no such process
  }
  // The second field, the program's name in parentheses, may hold spaces: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const isZombie = fields[0] === 'Z';
  return isZombie ? undefined : `${fields[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}

/** @param {number} pid */
function beginFromPs(pid) {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined; // ps ends with 1 when there is no such process
  }
}
