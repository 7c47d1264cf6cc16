// What becomes of spans whose collector is away, slow or says no. Real HTTP; the collectors are the test's.
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Span as OpenSpan } from '@opentelemetry/api';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { SentSpans, SPANS_MAX } from '../../../src/shared/tracing/sentSpans.ts';
import { OtlpReceiver } from '../../support/otlpReceiver.ts';
import { until } from '../../support/until.ts';

describe('spans on their way to the collector', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  after(() => {
    for (const socket of sockets) socket.destroy();
    return Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  });

  async function listening(server: Server): Promise<string> {
    servers.push(server);
    server.on('connection', (socket: Socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  function sender(endpoint: string) {
    const registry = new Registry();
    const spans = new SentSpans(endpoint, registry);
    const tracer = new TracerProvider({ spanProcessors: [spans] }).getTracer('test');
    const counts = async () => {
      const values = await Promise.all(
        ['sent', 'dropped'].map((what) => registry.getSingleMetric(`trace_spans_${what}_total`)?.get()),
      );
      return Object.fromEntries(
        values.flatMap((metric) => metric?.values ?? []).map(({ labels, value }) => [labels['reason'] ?? 'sent', value]),
      );
    };
    const record = (count: number): void => {
      for (let i = 0; i < count; i++) (tracer.startSpan('work') as OpenSpan).end();
    };
    return { spans, record, counts };
  }

  it('are taken, each once', async () => {
    const receiver = await OtlpReceiver.start();
    const { spans, record, counts } = sender(`${receiver.url}/`);
    record(1200);
    await spans.shutdown();
    expect(receiver.spans.length).to.equal(1200);
    expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).to.equal(1200);
    expect(await counts()).to.deep.equal({ sent: 1200, queue_full: 0, not_taken: 0 });
    expect(spans.waiting).to.equal(0);
    await receiver.stop();
  });

  it('wait for a collector that says nothing, up to the bound; further ones are counted and forgotten', async () => {
    const url = await listening(createTcpServer((socket) => servers[0]?.once('close', () => socket.destroy()) && socket.unref()));
    const { spans, record, counts } = sender(url);
    record(SPANS_MAX + 1000);
    expect(spans.waiting).to.equal(SPANS_MAX);
    expect((await counts())['queue_full']).to.equal(1000);
  });

  it('that a collector refuses are counted and forgotten, and give their places to others', async () => {
    const refuse: RequestListener = (request, response) => {
      request.resume().on('end', () => response.writeHead(400).end('{}'));
    };
    const { spans, record, counts } = sender(await listening(createServer(refuse)));
    record(600);
    await until(() => spans.waiting < 600);
    await spans.shutdown().catch(() => undefined);
    await until(() => spans.waiting === 0);
    expect(await counts()).to.deep.equal({ sent: 0, queue_full: 0, not_taken: 600 });
  });

  it('that nobody takes, for nothing listens there, are counted', async () => {
    const server = createTcpServer();
    const url = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    servers.pop();
    const { spans, record, counts } = sender(url);
    record(3);
    await spans.shutdown().catch(() => undefined);
    expect(await counts()).to.deep.equal({ sent: 0, queue_full: 0, not_taken: 3 });
  });
});
