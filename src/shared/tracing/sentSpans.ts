// The way of recorded spans to the collector: in batches, by the official exporter, as OTLP in JSON over HTTP. A collector that is away or
// slow costs spans and nothing else: so many wait at most, and those that find no place, or are not taken, are counted and forgotten.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';
import { Counter, type Registry } from 'prom-client';

/** Spans that wait or are on their way: some 2 kB each. */
export const SPANS_MAX = 2048;
const BATCH_MAX = 512;
/** How long spans wait for others to go with, ms. */
const BATCH_EVERY_MS = 1000;
/** How long the collector may take for a batch, with repetitions, ms. */
const SEND_MS_MAX = 5000;

/** `ExportResultCode.SUCCESS` of a package that only the SDK itself uses. */
const TAKEN = 0;

type Done = Parameters<SpanExporter['export']>[1];

class CountedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #onDone: (spans: number, isTaken: boolean) => void;

  constructor(inner: SpanExporter, onDone: (spans: number, isTaken: boolean) => void) {
    this.#inner = inner;
    this.#onDone = onDone;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#inner.export(spans, (result) => {
      this.#onDone(spans.length, result.code === TAKEN);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }
}

export class SentSpans implements SpanProcessor {
  readonly #batches: BatchSpanProcessor;
  readonly #dropped: Counter<'reason'>;
  #waiting = 0;

  /** @param endpoint base address of the collector */
  constructor(endpoint: string, registry: Registry) {
    const registers = [registry];
    const sent = new Counter({ name: 'trace_spans_sent_total', help: 'Spans that the collector has taken.', registers });
    this.#dropped = new Counter({
      name: 'trace_spans_dropped_total',
      help: 'Spans that were forgotten: too many waited (queue_full), or the collector did not take them (not_taken).',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['queue_full', 'not_taken']) this.#dropped.inc({ reason }, 0);
    const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: SEND_MS_MAX });
    this.#batches = new BatchSpanProcessor({
      exporter: new CountedExporter(exporter, (spans, isTaken) => {
        this.#waiting -= spans;
        if (isTaken) sent.inc(spans);
        else this.#dropped.inc({ reason: 'not_taken' }, spans);
      }),
      maxQueueSize: SPANS_MAX,
      maxExportBatchSize: BATCH_MAX,
      scheduledDelayMillis: BATCH_EVERY_MS,
      exportTimeoutMillis: 2 * SEND_MS_MAX,
    });
  }

  /** Spans that wait or are on their way. */
  get waiting(): number {
    return this.#waiting;
  }

  onStart(): void {
    // A span is sent when it has ended.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= SPANS_MAX) {
      this.#dropped.inc({ reason: 'queue_full' });
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }
}

/** Where the collector takes traces, as OpenTelemetry's specification has it. */
const tracesUrl = (endpoint: string): string => `${endpoint.replace(/\/+$/, '')}/v1/traces`;
