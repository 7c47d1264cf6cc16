// Chromium for the tests that look at the dashboard: the program that CHROMIUM names, a program of one of the usual names, or the
// system's package.
import { findProgram } from '../start/command.mjs';
import { installPart } from '../start/systemPackages.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** @returns {string | undefined} its path */
export function findChromium() {
  const given = process.env['CHROMIUM'];
  if (given) return given;
  return NAMES.map(findProgram).find((path) => path !== undefined);
}

/**
 * Without one the tests themselves say so: the other steps need none.
 * @param {import('../start/dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, string>>}
 */
export async function prepareChromium(data, signal) {
  const options = { logFile: data.logFile('prepare'), signal };
  const found = findChromium() ?? ((await installPart('chromium', 'Chromium', options)) ? findChromium() : undefined);
  return found === undefined ? {} : { CHROMIUM: found };
}
