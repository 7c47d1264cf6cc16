// The fate of spans whose collector is away, slow or says no. Real HTTP; the collectors are the test's.
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

  it('are taken, each once, with the credential of OTEL_EXPORTER_OTLP_HEADERS', async () => {
    const receiver = await OtlpReceiver.start();
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'authorization=Bearer%20of-the-collector';
    const { spans, record, counts } = sender(`${receiver.url}/`);
    delete process.env['OTEL_EXPORTER_OTLP_HEADERS'];
    record(1200);
    await spans.shutdown();
    expect(receiver.spans.length).to.equal(1200);
    expect(new Set(receiver.spans.map(({ spanId }) => spanId)).size).to.equal(1200);
    expect(await counts()).to.deep.equal({ sent: 1200, queue_full: 0, not_taken: 0 });
    expect(spans.waiting).to.equal(0);
    expect([...receiver.credentials]).to.deep.equal(['Bearer of-the-collector']);
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

  it('that a collector cannot take now are sent again when it says, and are forgotten when it says later than a batch may take', async () => {
    for (const { status, after, want } of [
      { status: 503, after: '1', want: { sent: 600, queue_full: 0, not_taken: 0 } },
      { status: 429, after: '3600', want: { sent: 0, queue_full: 0, not_taken: 600 } },
    ]) {
      const refused = new Set<number>();
      const later: RequestListener = (request, response) => {
        let bytes = 0;
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        request.on('end', () => {
          const isFirst = !refused.has(bytes);
          refused.add(bytes);
          if (isFirst) response.writeHead(status, { 'retry-after': after }).end('{}');
          else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
        });
      };
      const { spans, record, counts } = sender(await listening(createServer(later)));
      record(600);
      await until(() => spans.waiting === 0);
      expect(await counts(), `${status}`).to.deep.equal(want);
    }
  });

  it('of which a collector takes some before it dies are each sent or counted', async () => {
    const receiver = await OtlpReceiver.start();
    const { spans, record, counts } = sender(receiver.url);
    record(512);
    await until(() => receiver.spans.length === 512);
    await receiver.stop();
    record(SPANS_MAX + 100);
    await spans.shutdown().catch(() => undefined);
    await until(() => spans.waiting === 0);
    const { sent, queue_full: full = 0, not_taken: not = 0 } = await counts();
    expect(sent).to.equal(512);
    expect(full).to.be.at.least(100);
    expect(full + not).to.equal(SPANS_MAX + 100);
  });

  it('that nobody takes, for nothing listens there or connections are reset, are counted', async () => {
    const closed = createTcpServer();
    const nowhere = await listening(closed);
    await new Promise((resolve) => closed.close(resolve));
    servers.pop();
    const resets = await listening(createTcpServer((socket) => socket.resetAndDestroy()));
    const senders = [nowhere, resets].map((url) => sender(url));
    for (const { record } of senders) record(3);
    await Promise.all(senders.map(({ spans }) => spans.shutdown().catch(() => undefined)));
    for (const { spans, counts } of senders) {
      await until(() => spans.waiting === 0);
      expect(await counts()).to.deep.equal({ sent: 0, queue_full: 0, not_taken: 3 });
    }
  });
});
