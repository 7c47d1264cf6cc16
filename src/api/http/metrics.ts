// The API's metrics about itself. Labels are route templates, never paths: a path may hold a key, and labels chosen
// by clients would grow without bound.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { scrapedMetrics } from '../../shared/metrics/scrapedMetrics.ts';
import type { ConnectionFigures } from './connections.ts';

/** Bounds of the duration buckets, seconds: around the millisecond that an order takes, and around the deadlines. */
const DURATIONS_S = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Methods with figures of their own. Node reads three dozen: any caller could make series of each. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** As OpenTelemetry's conventions call the others. */
const OTHER_METHOD = '_OTHER';

/** Values that are read at a request for /metrics. */
interface Readings {
  waitingCommands(): number;
  waitingPasswords(): number;
  openSockets(): number;
  /** What is unsent or half received at all sockets, bytes. */
  socketBytes(): number;
  /** What requests hold until they are answered, bytes. */
  requestBytes(): number;
  /** What clients have not read of their answers, bytes. */
  unreadBytes(): number;
  connections(): ConnectionFigures;
  /** Age of the newest datum of each feed, ms; null before the first. */
  feedAges(): Readonly<Record<string, { readonly newestMs: number | null }>>;
}

interface Observed {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface Child extends Omit<Observed, 'route'> {
  readonly histogram: Histogram.Internal<Labels>;
}

/** The last is of exemplars only. */
type Labels = 'method' | 'route' | 'status' | 'trace_id';

export class ApiMetrics {
  readonly #durations: Histogram<Labels>;
  readonly #refusals: Counter<'code'>;
  /** Children by route: finding one by its labels costs more than counting. */
  readonly #children = new Map<string, Child[]>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#durations = new Histogram({
      name: 'api_request_duration_seconds',
      help: 'Time from the request to its answer, by route template and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: DURATIONS_S,
      // The library knows exemplars in registries of OpenMetrics only; one of Prometheus' form leaves them out (metricsServer.ts).
      enableExemplars: true,
      registers: [],
    });
    registry.registerMetric(this.#durations);
    this.#refusals = new Counter({
      name: 'api_errors_total',
      help: 'Answers that were errors, by machine-readable code.',
      labelNames: ['code'],
      registers,
    });
  }

  /** @param traceId of the request, where it is traced: an exemplar of its bucket */
  observe({ method: sent, route, status }: Observed, seconds: number, traceId?: string): void {
    const method = METHODS.has(sent) ? sent : OTHER_METHOD;
    if (traceId !== undefined) {
      const labels = { method, route, status: String(status) };
      this.#durations.observe({ labels, value: seconds, exemplarLabels: { trace_id: traceId } });
      return;
    }
    let ofRoute = this.#children.get(route);
    if (ofRoute === undefined) {
      ofRoute = [];
      this.#children.set(route, ofRoute);
    }
    let child = ofRoute.find((one) => one.status === status && one.method === method);
    if (child === undefined) {
      child = { method, status, histogram: this.#durations.labels(method, route, String(status)) };
      ofRoute.push(child);
    }
    child.histogram.observe(seconds);
  }

  countError(code: string): void {
    this.#refusals.inc({ code });
  }
}

/** Gauges whose values are read at each scrape. */
export function registerReadings(registry: Registry, readings: Readings): void {
  const registers = [registry];
  const scraped = scrapedMetrics(registry);
  scraped.gauge('api_commands_waiting', 'Commands sent to accounts and not answered yet.', () => readings.waitingCommands());
  scraped.gauge('api_passwords_waiting', 'Password hashes that run or wait.', () => readings.waitingPasswords());
  scraped.gauge('api_sockets_open', 'WebSocket connections that are open.', () => readings.openSockets());
  scraped.gauge('api_socket_bytes', 'What is unsent or half received at all WebSocket connections, bytes.', () =>
    readings.socketBytes(),
  );
  scraped.gauge('api_request_bytes', 'What bodies and posts hold until they are answered, bytes.', () => readings.requestBytes());
  scraped.gauge('api_unread_answer_bytes', 'What clients have not read of the answers that they were given, bytes.', () =>
    readings.unreadBytes(),
  );
  new Gauge({
    name: 'api_connections',
    help: 'Connections by what they do: open (all), half_open (no whole request yet), at_work (a request, no WebSocket).',
    labelNames: ['state'],
    registers,
    collect() {
      const { open, halfOpen, atWork } = readings.connections();
      this.set({ state: 'open' }, open);
      this.set({ state: 'half_open' }, halfOpen);
      this.set({ state: 'at_work' }, atWork);
    },
  });
  scraped.counters('api_connections_ended_total', 'Connections that were refused or given up, by reason.', {
    label: 'reason',
    read: () => readings.connections().ended,
  });
  new Gauge({
    name: 'api_market_feed_age_seconds',
    help: 'Age of the newest datum of each market feed, as this node sees it.',
    labelNames: ['feed'],
    registers,
    collect() {
      for (const [feed, { newestMs }] of Object.entries(readings.feedAges()))
        this.set({ feed }, newestMs === null ? Number.NaN : newestMs / 1000);
    },
  });
}

/** @param endsAtMs of the certificate in use, ms since the epoch */
export function registerCertificate(registry: Registry, endsAtMs: () => number): void {
  const help = 'When the certificate ends that the API speaks https with, seconds since the epoch.';
  scrapedMetrics(registry).gauge('api_certificate_end_timestamp_seconds', help, () => endsAtMs() / 1000);
}
