// The exchange itself: one process per role, and the wait until the API says that orders can be taken.
import { join } from 'node:path';
import { claim, freePort } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { Service } from './service.mjs';
import { waitFor } from './wait.mjs';

const HEALTHY_WITHIN_MS = 90_000;
/** How long fresh market data are waited for where they need not come, milliseconds. */
const STALE_WITHIN_MS = 20_000;
/** A role that dies this often before it was ever well will not get well. */
const DEATHS_MAX = 4;
const METRICS_HOST = process.env['METRICS_HOST'] || '127.0.0.1';
const METRICS_PORT = 9100;
const PORT_MAX = 65_535;
/** In the order of their start; the stop is in reverse. */
const ROLES = ['market', 'actors', 'jobs', 'api'];

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {object} context
 * @param {Record<string, string>} context.env what the configuration of every role has to say
 * @param {string} context.baseUrl
 * @param {boolean} context.mayBeStale a market without fresh data is waited for a moment only
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ role: string, url: string }[]>} where each role shows operators its metrics and health
 */
export async function startRoles(data, { env, baseUrl, mayBeStale, onService, signal }) {
  const ports = await metricsPorts();
  const closed = { WEBHOOK_CLOSED_PORTS: [env['WEBHOOK_CLOSED_PORTS'], ...ports].join(',') };
  const services = ROLES.map((role, at) => {
    const args = ['--enable-source-maps', join(PROJECT_DIR, 'dist', 'main.js'), role];
    return new Service({
      name: role,
      data,
      program: process.execPath,
      args,
      env: { ...env, ...closed, METRICS_PORT: String(ports[at]) },
    });
  });
  for (const service of services) {
    onService(service);
    service.start();
  }
  await untilHealthy(services, { baseUrl, readyUrl: `${metricsUrl(ports[ROLES.indexOf('api')])}/ready`, mayBeStale, signal });
  return ROLES.map((role, at) => ({ role, url: metricsUrl(ports[at]) }));
}

/**
 * @param {readonly Service[]} services that are the exchange
 * @param {{ baseUrl: string, readyUrl: string, mayBeStale: boolean, signal: AbortSignal, everyMs?: number }} options
 *   `readyUrl` is where the API's own process says that it serves: at `baseUrl` another exchange answers which has had the port before it
 * @throws {Refusal} when it does not get ready
 */
export async function untilHealthy(services, { baseUrl, readyUrl, mayBeStale, signal, everyMs = 100 }) {
  let last = 'it did not answer';
  /** @type {number | undefined} */
  let staleFromMs;
  const isHealthy = await waitFor(
    async () => {
      const { ok, text } = await ask(`${baseUrl}/health`);
      last = text;
      staleFromMs = isStaleOnly(text) ? (staleFromMs ?? Date.now()) : undefined;
      const isWell = ok || (mayBeStale && staleFromMs !== undefined && Date.now() - staleFromMs > STALE_WITHIN_MS);
      return isWell && (await ask(readyUrl)).ok ? true : services.some(({ deaths }) => deaths >= DEATHS_MAX) ? false : undefined;
    },
    { withinMs: HEALTHY_WITHIN_MS, everyMs, signal },
  );
  if (isHealthy) return;
  const dead = services.find(({ deaths }) => deaths > 0);
  const why = dead
    ? `the role ${dead.name} keeps ending; its log ${dead.logFile} closes with:\n${dead.lastLines()}`
    : `/health says: ${last}`;
  throw new Refusal(`The exchange did not get ready: ${why}`);
}

/** Whether the one thing that is missing are fresh market data. @param {string} health an answer of /health */
function isStaleOnly(health) {
  try {
    return String(JSON.parse(health).causes) === 'market_stale';
  } catch {
    return false; // no answer, or one of something else
  }
}

/** @param {number | undefined} port */
function metricsUrl(port) {
  const isAnywhere = METRICS_HOST === '0.0.0.0' || METRICS_HOST === '::';
  const host = isAnywhere ? '127.0.0.1' : METRICS_HOST.includes(':') ? `[${METRICS_HOST}]` : METRICS_HOST;
  return `http://${host}:${port}`;
}

/**
 * One port per role: METRICS_PORT and those above it, or a free one in place of each that is taken or belongs to another start.
 * @returns {Promise<number[]>}
 */
async function metricsPorts() {
  const first = Number(process.env['METRICS_PORT'] || METRICS_PORT);
  const ports = ROLES.map(async (_role, at) => {
    const port = first + at;
    return first > 0 && port <= PORT_MAX && (await claim(port, METRICS_HOST)) ? port : freePort();
  });
  return await Promise.all(ports);
}

/** @param {string} url */
async function ask(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    return { ok: response.status === 200, text: await response.text() };
  } catch {
    return { ok: false, text: 'nothing, it did not answer' };
  }
}
