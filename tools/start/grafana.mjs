// Grafana with the dashboards of deploy/grafana, where the machine has one or its packages do. A reader needs no login, may change
// nothing, and can come from this machine only.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './command.mjs';
import { portOr } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { say } from './say.mjs';
import { Service } from './service.mjs';
import { installPart } from './systemPackages.mjs';
import { waitFor } from './wait.mjs';

const PORT = 3001;
const READY_WITHIN_MS = 60_000;
/** Where packages put what Grafana comes with. */
const HOMES = ['/usr/share/grafana', '/opt/homebrew/share/grafana', '/usr/local/share/grafana'];
const IMPORT =
  'Grafana is missing: in one of your own, add the Prometheus below as a data source and import the files of deploy/grafana/dashboards.';

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {object} context
 * @param {string} context.prometheus address
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 * @returns {Promise<string | undefined>} its address
 */
export async function startGrafana(data, { prometheus, onService, signal }) {
  const program = await findGrafana(data, signal);
  if (program === undefined) {
    say(IMPORT);
    return undefined;
  }
  const port = await portOr(PORT);
  const url = `http://127.0.0.1:${port}`;
  const home = HOMES.find((folder) => existsSync(folder));
  const service = new Service({
    ...{ name: 'grafana', data, program, port },
    args: home === undefined ? [] : ['--homepath', home],
    env: settings(data, { port, provisioning: provision(data, prometheus) }),
  });
  onService(service);
  service.start();
  const isReady = await waitFor(async () => ((await isWell(url)) ? true : service.deaths > 3 ? false : undefined), {
    withinMs: READY_WITHIN_MS,
    signal,
  });
  if (isReady) return url;
  await service.stop();
  say(`Grafana did not start; its log is ${service.logFile}`);
  return undefined;
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 */
async function findGrafana(data, signal) {
  const found = findProgram('grafana-server');
  if (found || data.recall('noGrafana')) return found;
  if (await installPart('grafana', 'grafana', { logFile: data.logFile('prepare'), signal })) return findProgram('grafana-server');
  data.remember('noGrafana', true);
  return undefined;
}

/**
 * Writes the files of deploy/grafana/provisioning for this machine; JSON is YAML, too.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {string} prometheus
 * @returns {string} their folder
 */
function provision(data, prometheus) {
  const folder = join('grafana', 'provisioning');
  for (const name of ['datasources', 'dashboards']) mkdirSync(data.folder(folder, name), { recursive: true, mode: 0o700 });
  const source = { name: 'Prometheus', uid: 'prometheus', type: 'prometheus', access: 'proxy', url: prometheus, isDefault: true };
  data.write(join(folder, 'datasources', 'prometheus.yaml'), {
    apiVersion: 1,
    datasources: [{ ...source, jsonData: { timeInterval: '15s' } }],
  });
  const path = join(PROJECT_DIR, 'deploy', 'grafana', 'dashboards');
  data.write(join(folder, 'dashboards', 'exchange.yaml'), {
    apiVersion: 1,
    providers: [{ name: 'exchange', folder: 'Exchange', type: 'file', allowUiUpdates: false, options: { path } }],
  });
  return data.folder(folder);
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {{ port: number, provisioning: string }} own
 * @returns {Record<string, string>}
 */
function settings(data, { port, provisioning }) {
  return {
    GF_SERVER_HTTP_ADDR: '127.0.0.1',
    GF_SERVER_HTTP_PORT: String(port),
    GF_PATHS_DATA: data.folder('grafana', 'data'),
    GF_PATHS_LOGS: data.folder('grafana', 'logs'),
    GF_PATHS_PLUGINS: data.folder('grafana', 'plugins'),
    GF_PATHS_PROVISIONING: provisioning,
    GF_AUTH_ANONYMOUS_ENABLED: 'true',
    GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
    GF_AUTH_DISABLE_LOGIN_FORM: 'true',
    GF_SECURITY_ADMIN_PASSWORD: randomBytes(24).toString('base64url'),
    GF_ANALYTICS_REPORTING_ENABLED: 'false',
    GF_ANALYTICS_CHECK_FOR_UPDATES: 'false',
  };
}

/** @param {string} url */
async function isWell(url) {
  try {
    return (await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}
