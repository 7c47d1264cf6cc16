// Serves /metrics, /health, /health/live and /ready of a process at METRICS_HOST and METRICS_PORT, which only operators reach.
// Every role has it, so that all are seen and probed alike. Pods, shards and figures are shown here and nowhere else.
// It is small and bounded: a scraper that reads slowly, or many of them, take nothing from the process's own work.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { type Readiness, toReadiness } from './readiness.ts';

/** Connections at once; further ones are closed unanswered. */
export const CONNECTIONS_MAX = 32;
/** How long a request may take to arrive, a connection to be silent, and an answer to be read, ms. */
const REQUEST_MS_MAX = 5000;
const IDLE_MS_MAX = 5000;
const ANSWER_MS_MAX = 10_000;
/** Metrics are collected at most once in this time, ms. */
const METRICS_KEPT_MS = 1000;

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Answers /health; the status says whether orders can be taken. */
export type HealthSource = () => Promise<{
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reasons: readonly string[];
}>;

export interface MetricsServer {
  readonly port: number;
  /** Gives /health its content. Before this call /health answers that the process starts. */
  showHealth(source: HealthSource): void;
  /** The same for /ready. */
  showReadiness(source: () => Promise<Readiness>): void;
  stop(): Promise<void>;
}

interface ServerParts {
  readonly config: { readonly METRICS_HOST: string; readonly METRICS_PORT: number };
  readonly log: Logger;
  readonly registry: Registry;
}

/**
 * Listens on METRICS_PORT, or on a free port when another process of this machine has it: the log says which one it is.
 * @throws when METRICS_HOST is no address of this machine
 */
export async function startMetricsServer(parts: ServerParts): Promise<MetricsServer> {
  const { config, log, registry } = parts;
  const { METRICS_HOST: host, METRICS_PORT: wanted } = config;
  let health: HealthSource = async () => ({ status: 'unavailable', reasons: [STARTING] });
  let readiness = async (): Promise<Readiness> => toReadiness([STARTING]);
  const plain = keptFor(METRICS_KEPT_MS, () => registry.metrics());
  const open = keptFor(METRICS_KEPT_MS, () => openMetricsOf(registry));

  const answer = async ({ url: path, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (path === '/health/live') return send(response, 200, JSON_TYPE, '{"status":"ok"}');
    if (path === '/metrics') {
      if (wantsOpenMetrics(headers.accept)) return send(response, 200, OPEN_METRICS_TYPE, await open());
      return send(response, 200, registry.contentType, await plain());
    }
    if (path === '/ready') {
      const answer = await readiness();
      return send(response, answer.status === 'ready' ? 200 : 503, JSON_TYPE, JSON.stringify(answer));
    }
    if (path !== '/health') return send(response, 404, TEXT_TYPE, 'Not found\n');
    const report = await health();
    send(response, report.status === 'unavailable' ? 503 : 200, JSON_TYPE, JSON.stringify(report));
  };
  const server = createServer(
    {
      requestTimeout: REQUEST_MS_MAX,
      headersTimeout: REQUEST_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      const cut = setTimeout(() => request.socket.destroy(), ANSWER_MS_MAX);
      response.once('close', () => clearTimeout(cut));
      answer(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'operators could not be answered');
        send(response, 500, TEXT_TYPE, 'It could not be collected\n');
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  await listen(server, { host, port: wanted }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || wanted === 0) throw error;
    log.warn({ host, port: wanted }, 'METRICS_PORT is taken by another process, a free port is used');
    return listen(server, { host, port: 0 });
  });
  const { port } = server.address() as AddressInfo;
  log.info({ host, port }, 'metrics and health are shown');
  return {
    port,
    showHealth: (source) => {
      health = source;
    },
    showReadiness: (source) => {
      readiness = source;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const STARTING = 'The process starts';

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent) return;
  response
    .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .end(body);
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The same answer for all who ask within a time; a failure is not kept. */
function keptFor<Answer>(ms: number, make: () => Promise<Answer>): () => Promise<Answer> {
  let kept: { readonly answer: Promise<Answer>; readonly untilMs: number } | undefined;
  return () => {
    const nowMs = performance.now();
    if (kept !== undefined && nowMs < kept.untilMs) return kept.answer;
    const one = { answer: make(), untilMs: nowMs + ms };
    one.answer.catch(() => {
      if (kept === one) kept = undefined;
    });
    kept = one;
    return one.answer;
  };
}

// Metrics as OpenMetrics, which unlike Prometheus' own text form has exemplars: traces that are examples of what a histogram counts.
// https://prometheus.io/docs/specs/om/open_metrics_spec/

const NAME = 'application/openmetrics-text';

const OPEN_METRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/** @param accept the header of a scraper, which names each form that it reads */
export const wantsOpenMetrics = (accept = ''): boolean =>
  accept.split(',').some((form) => form.trim().startsWith(NAME) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(form));

/** The library's own way to write this form takes `_total` from the names of a registry's counters for good: it is given other ones. */
async function openMetricsOf(registry: Registry): Promise<string> {
  const shown = new Registry<OpenMetricsContentType>();
  shown.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of registry.getMetricsAsArray() as unknown as readonly Metric[]) shown.registerMetric(Object.create(metric));
  return shown.metrics();
}
