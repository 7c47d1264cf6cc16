// node_modules and dist belong to the checkout and not to a data folder, so starts that run side by side lock them in
// turns.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { tryLock } from './fileLock.mjs';
import { installPackages } from './install.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { sayDoing, sayStep } from './say.mjs';
import { waitFor } from './wait.mjs';

/** The steps of a start that `prepareCheckout` takes. */
export const PACKAGES = 'npm packages';
export const BUILD = 'Build';

/** Longest another start may install and build, milliseconds. */
const TURN_MS_MAX = 900_000;

/**
 * Packages and dist as the sources want them.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @param {{ withBuild?: boolean }} [options]
 */
export async function prepareCheckout(data, signal, { withBuild = true } = {}) {
  if (isBuiltElsewhere()) return;
  const logFile = data.logFile('prepare');
  sayStep(PACKAGES);
  const unlock = await takeTurn(signal);
  try {
    await installPackages({ cacheDir: data.folder('cache', 'npm'), logFile, signal });
    sayStep(BUILD);
    if (withBuild) await build({ logFile, signal });
  } finally {
    unlock();
  }
}

/** An image has what was built, and no sources. */
const isBuiltElsewhere = () => !existsSync(join(PROJECT_DIR, 'src'));

/** @param {AbortSignal} signal */
async function takeTurn(signal) {
  const lock = join(PROJECT_DIR, 'dist', '.turn');
  const atOnce = tryLock(lock);
  if (atOnce) return atOnce;
  sayDoing('Another start is preparing this checkout; waiting for it');
  const unlock = await waitFor(() => tryLock(lock), { withinMs: TURN_MS_MAX, everyMs: 200, signal });
  if (!unlock) throw new Refusal('Another start has been preparing this checkout for 15 minutes: stop it and try again.');
  return unlock;
}
