// A lock in a file that names its holder's process, so that the lock of a killed holder does not count.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beginOf, stillRuns } from './processIdentity.mjs';

/**
 * @param {string} path
 * @returns {(() => void) | undefined} lets go of it again; undefined: another process that runs holds it
 */
export function tryLock(path) {
  const mine = JSON.stringify({ pid: process.pid, began: beginOf(process.pid) });
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    while (!linked(draft, path)) {
      const held = read(path);
      if (held !== undefined && stillRuns(held.holder)) return undefined;
      if (held !== undefined) clearStale(path, held.text);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(path)?.text === mine) rmSync(path, { force: true });
  };
}

/**
 * @param {string} draft
 * @param {string} path
 */
function linked(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path */
function read(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined; // gone meanwhile
  }
  try {
    return { text, holder: /** @type {{ pid: number, began: string }} */ (JSON.parse(text)) };
  } catch {
    return { text, holder: undefined }; // cut by a crash of the machine: nobody holds it
  }
}

/**
 * Moves the lock away and looks at what was moved: another process may have replaced it in between.
 * @param {string} path
 * @param {string} staleText
 */
function clearStale(path, staleText) {
  const moved = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, moved);
  } catch {
    return; // somebody else cleared it
  }
  if (read(moved)?.text !== staleText) linked(moved, path);
  rmSync(moved, { force: true });
}
