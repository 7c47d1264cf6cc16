// Reads the variables of all roles once before anything is started. Otherwise a wrong one would end each role again
// and again, and its sentence would be hidden in a log.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';

/**
 * Needs `dist`, for the schema is the service's own.
 * @param {Record<string, string | undefined>} env
 * @throws {Refusal} a sentence for each wrong variable
 */
export async function requireConfiguration(env) {
  const { readConfig } = await import(built('shared', 'config', 'config.js'));
  const { requireSecrets } = await import(built('shared', 'config', 'schema.js'));
  try {
    requireSecrets(readConfig(env));
  } catch (error) {
    throw new Refusal(/** @type {Error} */ (error).message);
  }
}

/** @param {...string} path */
const built = (...path) => pathToFileURL(join(PROJECT_DIR, 'dist', ...path)).href;
