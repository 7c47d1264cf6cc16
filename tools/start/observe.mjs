// bin/start --observe: a Prometheus over the processes of this start, with the project's alert rules, and a Grafana with its dashboards
// where there is one. Both listen on loopback and keep what they have in the data folder. Trading needs neither of the two: where
// one cannot be had, a sentence says so, and the start goes on.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './command.mjs';
import { startGrafana } from './grafana.mjs';
import { portOr } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { say } from './say.mjs';
import { Service } from './service.mjs';
import { installPart } from './systemPackages.mjs';
import { waitFor } from './wait.mjs';

const PROMETHEUS_PORT = 9090;
const READY_WITHIN_MS = 30_000;
/** The length of the stored past: enough for one machine's questions, and too little to fill a disk. */
const KEPT = ['--storage.tsdb.retention.time=15d', '--storage.tsdb.retention.size=1GB'];

/** A port for `startObserving`, known before the roles start. */
export const prometheusPort = () => portOr(PROMETHEUS_PORT);

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {object} context
 * @param {readonly { role: string, url: string }[]} context.metrics
 * @param {number} context.port of Prometheus
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ name: string, url: string }[]>} the programs for a reader, with their addresses
 */
export async function startObserving(data, { metrics, port, onService, signal }) {
  const program = await findPrometheus(data, signal);
  if (program === undefined) {
    say('Prometheus is missing: install it, or let yours read the addresses below and deploy/prometheus/rules.yaml.');
    return [];
  }
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(data.folder('prometheus'), { recursive: true, mode: 0o700 });
  // JSON is YAML, too.
  data.write(join('run', 'prometheus.yml'), configuration(metrics));
  const service = new Service({
    ...{ name: 'prometheus', data, program, port },
    args: [
      `--config.file=${data.folder('run', 'prometheus.yml')}`,
      `--storage.tsdb.path=${data.folder('prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--enable-feature=exemplar-storage',
      ...KEPT,
    ],
  });
  onService(service);
  service.start();
  const isReady = await waitFor(async () => ((await answers(`${url}/-/ready`)) ? true : service.deaths > 3 ? false : undefined), {
    withinMs: READY_WITHIN_MS,
    signal,
  });
  if (!isReady) {
    await service.stop();
    say(`Prometheus did not start; its log is ${service.logFile}`);
    return [];
  }
  const grafana = await startGrafana(data, { prometheus: url, onService, signal });
  return [{ name: 'Prometheus', url }, ...(grafana === undefined ? [] : [{ name: 'Grafana', url: grafana }])];
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {AbortSignal} signal
 */
async function findPrometheus(data, signal) {
  const found = findProgram('prometheus');
  if (found || data.recall('noPrometheus')) return found;
  if (await installPart('prometheus', 'prometheus', { logFile: data.logFile('prepare'), signal }))
    return findProgram('prometheus');
  data.remember('noPrometheus', true);
  return undefined;
}

/**
 * Each role is an instance of the job that the rules know.
 * @param {readonly { role: string, url: string }[]} metrics
 */
function configuration(metrics) {
  const targets = metrics.map(({ role, url }) => ({ targets: [new URL(url).host], labels: { instance: role } }));
  return {
    global: { scrape_interval: '15s', evaluation_interval: '15s' },
    rule_files: [join(PROJECT_DIR, 'deploy', 'prometheus', 'rules.yaml')],
    scrape_configs: [{ job_name: 'exchange', static_configs: targets }],
  };
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
  } catch {
    return false;
  }
}
