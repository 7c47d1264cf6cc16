import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { readConfig } from '../../../src/shared/config/config.ts';
import { CONNECTIONS_MAX, type MetricsServer, startMetricsServer } from '../../../src/shared/metrics/metricsServer.ts';
import { readinessOf } from '../../../src/shared/metrics/readiness.ts';

describe('metrics server: every process shows operators its figures, and scrapers cost it nothing', () => {
  const servers: MetricsServer[] = [];
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const sockets: Socket[] = [];
  let collected = 0;

  const start = async (port: number): Promise<MetricsServer> => {
    const registry = new Registry();
    new Gauge({
      name: 'asked',
      help: 'How often it was collected.',
      registers: [registry],
      collect() {
        collected += 1;
        this.set(collected);
      },
    });
    const server = await startMetricsServer({ config: readConfig({ METRICS_PORT: String(port) }), log: pino(sink), registry });
    servers.push(server);
    return server;
  };
  const get = (server: MetricsServer, path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  it('takes a free port beside a process that has METRICS_PORT, and the log says which', async () => {
    const first = await start(0);
    const second = await start(first.port);
    expect(second.port).not.to.equal(first.port);
    expect((await get(second, '/health/live')).status).to.equal(200);
    expect(lines.join('')).to.include('METRICS_PORT is taken').and.to.include(`"port":${second.port}`);
  });

  it('answers /health by the source that it was given: 503 before that, and while no orders are taken', async () => {
    const server = await start(0);
    expect((await get(server, '/health')).status).to.equal(503);
    server.showHealth(async () => ({ status: 'degraded', reasons: ['No jobs process'] }));
    const answer = await get(server, '/health');
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.deep.equal({ status: 'degraded', reasons: ['No jobs process'] });
    server.showHealth(async () => ({ status: 'unavailable', reasons: ['Redis is away'] }));
    expect((await get(server, '/health')).status).to.equal(503);
    expect((await get(server, '/nothing')).status).to.equal(404);
  });

  it('answers /ready by the roles: 503 before they run, while one of them says why not, and once the process leaves or stops', async () => {
    const server = await start(0);
    const readyOf = async (): Promise<unknown> => {
      const answer = await get(server, '/ready');
      return { code: answer.status, ...((await answer.json()) as object) };
    };
    expect(await readyOf()).to.deep.equal({ code: 503, status: 'not_ready', reasons: ['The process starts'] });
    let reasons = ['Redis is away'];
    let isStopping = false;
    let leaving: 'underWay' | 'done' | undefined;
    const roles = [() => [], async () => reasons];
    server.showReadiness(() => readinessOf(roles, { isStopping: () => isStopping, leaving: () => leaving }));
    expect(await readyOf()).to.deep.equal({ code: 503, status: 'not_ready', reasons: ['Redis is away'] });
    reasons = [];
    expect(await readyOf()).to.deep.equal({ code: 200, status: 'ready', reasons: [] });
    leaving = 'underWay';
    const why = ['The process leaves: it waits for its end'];
    expect(await readyOf()).to.deep.equal({ code: 503, status: 'not_ready', reasons: why, leaving });
    leaving = undefined;
    isStopping = true;
    expect(await readyOf()).to.deep.equal({ code: 503, status: 'not_ready', reasons: ['The process stops'] });
  });

  it('collects once for many who ask within a second', async () => {
    const server = await start(0);
    collected = 0;
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await get(server, '/metrics')).text()));
    expect(texts[0]).to.include('asked 1');
    expect(collected).to.be.lessThan(10);
  });

  it('holds a bounded number of connections', async () => {
    const server = await start(0);
    const closed: Promise<unknown>[] = [];
    for (let i = 0; i <= CONNECTIONS_MAX; i++) {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined); // the one too many is reset
      sockets.push(socket);
      await once(socket, 'connect');
      closed.push(once(socket, 'close').then(() => i));
    }
    expect(await Promise.race(closed)).to.equal(CONNECTIONS_MAX);
  });
});
