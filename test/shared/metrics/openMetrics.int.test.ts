// /metrics in both of its forms, read by a scraper's own parser where Prometheus is installed (bin/test does that).
import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import { ApiMetrics } from '../../../src/api/http/metrics.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { type MetricsServer, startMetricsServer, wantsOpenMetrics } from '../../../src/shared/metrics/metricsServer.ts';
import { collectProcessMetrics } from '../../../src/shared/metrics/processMetrics.ts';

/** Headers that Prometheus 2.42 and 3 send. */
const OLDER =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const NEWER =
  'text/plain;version=0.0.4;escaping=allow-utf-8;q=0.4,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,*/*;q=0.2';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('the form of /metrics is the scraper’s choice', () => {
  const cases: [string, string | undefined, boolean][] = [
    ['Prometheus 2', OLDER, true],
    ['Prometheus 3', NEWER, true],
    ['a browser', 'text/html,application/xhtml+xml,*/*;q=0.8', false],
    ['who says nothing', undefined, false],
    ['who reads all', '*/*', false],
    ['who wants anything but that', 'application/openmetrics-text;q=0,text/plain', false],
    ['who wants it little', 'text/plain, application/openmetrics-text; q=0.01', true],
  ];
  for (const [name, accept, want] of cases) it(name, () => expect(wantsOpenMetrics(accept)).to.equal(want));
});

describe('/metrics', () => {
  const registry = new Registry();
  const metrics = new ApiMetrics(registry);
  let server: MetricsServer;

  before(async () => {
    collectProcessMetrics(registry);
    new Counter({
      name: 'asked_total',
      help: 'A counter that counts at the scrape.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(7);
      },
    });
    metrics.observe({ method: 'POST', route: '/v1/a', status: 200 }, 0.003);
    metrics.observe({ method: 'POST', route: '/v1/a', status: 200 }, 0.003, TRACE);
    metrics.observe({ method: 'POST', route: '/v1/a', status: 200 }, 60, TRACE);
    server = await startMetricsServer({ config: readConfig({ METRICS_PORT: '9199' }), log: pino({ level: 'silent' }), registry });
  });
  after(() => server.stop());

  async function scrape(accept?: string): Promise<{ type: string | null; text: string }> {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`, accept === undefined ? {} : { headers: { accept } });
    return { type: answer.headers.get('content-type'), text: await answer.text() };
  }

  it('is OpenMetrics with the traces of slow and fast requests, for who asks for it', async () => {
    const { type, text } = await scrape(OLDER);
    expect(type).to.equal('application/openmetrics-text; version=1.0.0; charset=utf-8');
    const bucket = (le: string) =>
      text.split('\n').find((line) => line.startsWith(`api_request_duration_seconds_bucket{le="${le}"`));
    expect(bucket('0.005')).to.match(new RegExp(`\\} 2 # \\{trace_id="${TRACE}"\\} 0\\.003 \\d+(\\.\\d+)?$`));
    expect(bucket('+Inf')).to.match(new RegExp(`\\} 3 # \\{trace_id="${TRACE}"\\} 60 \\d+(\\.\\d+)?$`));
    expect(bucket('0.001')).to.match(/\} 0$/);
    expect(text).to.match(/# TYPE asked counter\nasked_total 7\n/);
    expect(text.endsWith('\n# EOF\n')).to.equal(true);
    expect(text).not.to.include('\n\n');
  });

  it('is Prometheus’ own text for all others, also after that: no exemplars, and all names whole', async () => {
    await scrape(OLDER);
    const { type, text } = await scrape();
    expect(type).to.equal('text/plain; version=0.0.4; charset=utf-8');
    expect(text).to.match(/# TYPE asked_total counter\nasked_total 7\n/);
    expect(text).not.to.include(TRACE).and.not.to.include('# EOF');
    expect(text).to.match(/api_request_duration_seconds_count\{[^}]*route="\/v1\/a"[^}]*\} 3\n/);
    // The loop at the scrape; how it was in between is loop_delay_seconds, of the composition root.
    expect(text.match(/^nodejs_eventloop_lag_\w+/gm)).to.deep.equal(['nodejs_eventloop_lag_seconds']);
    expect(() => execFileSync('promtool', ['check', 'metrics'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] })).not.to.throw();
  });
});
