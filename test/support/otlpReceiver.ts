// A collector of OpenTelemetry for tests: takes OTLP in JSON over HTTP, as its specification has it, and keeps the spans.
// https://opentelemetry.io/docs/specs/otlp/
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

export interface ReceivedSpan extends Omit<WireSpan, 'attributes'> {
  /** `service.name` of the process. */
  readonly service: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The name that each request gave. */
  readonly credentials = new Set<string | undefined>();
  /** Bodies as they came. */
  readonly texts: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isTraces = request.method === 'POST' && request.url === '/v1/traces';
        receiver.credentials.add(request.headers.authorization);
        if (isTraces) receiver.#take(Buffer.concat(chunks).toString());
        response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Resolves when spans with all these names have come. */
  async named(traceId: string, ...names: readonly string[]): Promise<ReceivedSpan[]> {
    await until(() => names.every((name) => this.of(traceId).some((span) => span.name === name)));
    return this.of(traceId);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(text: string): void {
    this.texts.push(text);
    for (const { resource, scopeSpans } of (JSON.parse(text) as TracesRequest).resourceSpans) {
      const service = String(read(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, service, attributes: read(span.attributes) });
      }
    }
  }
}

const read = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]));

/** The spans as one path each: the names from the first one down. */
export function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = ({ name, parentSpanId }: ReceivedSpan): string => {
    const parent = byId.get(parentSpanId ?? '');
    return parent === undefined ? name : `${path(parent)} > ${name}`;
  };
  return spans.map(path).sort();
}
