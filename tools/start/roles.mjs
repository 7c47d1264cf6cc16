// The exchange itself: one process per role, and the wait until the API says that orders can be taken.
import { join } from 'node:path';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { Service } from './service.mjs';
import { waitFor } from './wait.mjs';

const HEALTHY_WITHIN_MS = 90_000;
/** A role that dies this often before it was ever well will not get well. */
const DEATHS_MAX = 4;
/** In the order of their start; the stop is in reverse. */
const ROLES = ['market', 'actors', 'jobs', 'api'];

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {object} context
 * @param {Record<string, string>} context.env what the configuration of every role has to say
 * @param {string} context.baseUrl
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 */
export async function startRoles(data, { env, baseUrl, onService, signal }) {
  const services = ROLES.map((role) => {
    const args = ['--enable-source-maps', join(PROJECT_DIR, 'dist', 'main.js'), role];
    return new Service({ name: role, data, program: process.execPath, args, env });
  });
  for (const service of services) {
    onService(service);
    service.start();
  }
  let last = 'it did not answer';
  const isHealthy = await waitFor(
    async () => {
      const { ok, text } = await health(baseUrl);
      last = text;
      return ok ? true : services.some(({ deaths }) => deaths >= DEATHS_MAX) ? false : undefined;
    },
    { withinMs: HEALTHY_WITHIN_MS, signal },
  );
  if (isHealthy) return;
  const dead = services.find(({ deaths }) => deaths > 0);
  const why = dead
    ? `the role ${dead.name} keeps ending; its log ${dead.logFile} closes with:\n${dead.lastLines()}`
    : `/health says: ${last}`;
  throw new Refusal(`The exchange did not get ready: ${why}`);
}

/** @param {string} baseUrl */
async function health(baseUrl) {
  try {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5000) });
    return { ok: response.status === 200, text: await response.text() };
  } catch {
    return { ok: false, text: 'nothing, it did not answer' };
  }
}
