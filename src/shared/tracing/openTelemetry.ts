// Traces by OpenTelemetry's official SDK. Loaded only where a collector is named (startTracing.ts). The service says itself what is a span:
// instrumentation of each library by itself would cost every request, recorded or not.
import {
  type Attributes,
  type Context,
  type Span as OpenSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { waitAtMost } from '../waiting.ts';
import { SentSpans } from './sentSpans.ts';
import {
  readTraceparent,
  type Span,
  type SpanEnd,
  type SpanFields,
  type SpanOptions,
  type TraceParent,
  type Tracing,
  writeTraceparent,
} from './tracing.ts';

/** Longest that the stop of a process waits for the collector, ms. */
const LAST_SEND_MS_MAX = 3000;

/** Names as OpenTelemetry's conventions have them, and own ones where they have none. */
const ATTRIBUTES: Readonly<Record<keyof SpanFields, string>> = {
  requestId: 'request.id',
  accountId: 'account.id',
  keyId: 'key.id',
  shard: 'shard',
  command: 'command',
  commit: 'commit',
  job: 'job',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
  store: 'db.system.name',
};

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER };

export interface RecordedParts {
  readonly config: Pick<Config, 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER_ARG' | 'NODE_ID'>;
  /** Names of the process's roles. */
  readonly roles: readonly string[];
  readonly log: Logger;
  readonly registry: Registry;
}

/** @returns what records, and counts in the registry what becomes of it */
export function recordTraces({ config, roles, log, registry }: RecordedParts): Tracing {
  const sampling = new Sampling(config.OTEL_TRACES_SAMPLER_ARG);
  const sent = new SentSpans(config.OTEL_EXPORTER_OTLP_ENDPOINT, registry);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `paper-perps-${roles.join('-')}`,
      'service.instance.id': config.NODE_ID,
    }),
    // The service decides before it asks OpenTelemetry: a trace that is not recorded costs no work there.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [sent],
  });
  const recorder = { tracer: provider.getTracer('paper-perps-exchange'), epochMs: spanTime() };
  const first = (name: string, parent: Context, options: SpanOptions): Span =>
    new RecordedSpan(recorder, { name, parent, options, log });
  return {
    request: (client) =>
      sampling.takes(client) ? first('request', client ? within(client) : ROOT_CONTEXT, { kind: 'server' }) : undefined,
    root: (name, fields) => (sampling.takes() ? first(name, ROOT_CONTEXT, { fields }) : undefined),
    follow: (place, name, options = {}) => {
      const parent = readTraceparent(place);
      return parent && first(name, within(parent), options);
    },
    stop: async () => {
      const ended = provider.shutdown().catch((error: unknown) => log.warn({ err: error }, 'the last spans were not taken'));
      await waitAtMost(LAST_SEND_MS_MAX, ended);
      if (sent.waiting > 0) log.warn({ spans: sent.waiting }, 'the last spans are lost');
    },
  };
}

const within = ({ traceId, spanId }: TraceParent): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });

interface Recorder {
  readonly tracer: Tracer;
  /** The time of a span's beginning or end, of what `performance.now()` said. */
  readonly epochMs: (atMs: number) => number;
}

interface Begun {
  readonly name: string;
  readonly parent: Context;
  readonly options: SpanOptions;
  /** Of the first span of a trace in a process: its end is told. */
  readonly log?: Logger;
}

class RecordedSpan implements Span {
  readonly traceId: string;
  readonly place: string;
  readonly #recorder: Recorder;
  readonly #span: OpenSpan;
  readonly #context: Context;
  readonly #log: Logger | undefined;
  readonly #startMs: number;
  #name: string;
  #fields: SpanFields;

  constructor(recorder: Recorder, { name, parent, options, log }: Begun) {
    const { kind, fields = {}, startMs = performance.now() } = options;
    this.#recorder = recorder;
    this.#startMs = startMs;
    this.#name = name;
    this.#fields = fields;
    this.#log = log;
    const startTime = recorder.epochMs(startMs);
    const begun = { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes: attributesOf(fields), startTime };
    this.#span = recorder.tracer.startSpan(name, begun, parent);
    this.#context = trace.setSpan(parent, this.#span);
    const { traceId, spanId } = this.#span.spanContext();
    this.traceId = traceId;
    this.place = writeTraceparent({ traceId, spanId });
  }

  child(name: string, options: SpanOptions = {}): Span {
    return new RecordedSpan(this.#recorder, { name, parent: this.#context, options });
  }

  end({ name, fields, error }: SpanEnd = {}): void {
    const endMs = performance.now();
    if (name !== undefined) this.#span.updateName(name);
    if (fields !== undefined) this.#span.setAttributes(attributesOf(fields));
    if (error !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    this.#span.end(this.#recorder.epochMs(endMs));
    if (this.#log === undefined) return;
    this.#name = name ?? this.#name;
    this.#fields = { ...this.#fields, ...fields };
    const told = { traceId: this.traceId, span: this.#name, ...this.#fields, ms: endMs - this.#startMs };
    this.#log.info(error === undefined ? told : { ...told, error }, 'traced');
  }
}

function attributesOf(fields: SpanFields): Attributes {
  const attributes: Attributes = {};
  for (const [field, value] of Object.entries(fields)) attributes[ATTRIBUTES[field as keyof SpanFields]] = value;
  return attributes;
}

// Which traces are recorded: a share of them by chance, and those whose client asks for it with `traceparent`, but only so many that no
// caller can make the service record what it likes.

/** Requests a second of one process that are recorded because their clients want it; the others are taken by chance like all. */
export const WANTED_PER_SECOND = 10;

export class Sampling {
  readonly #share: number;
  readonly #chance: () => number;
  readonly #nowMs: () => number;
  /** How many more are recorded because they are wanted. */
  #left = WANTED_PER_SECOND;
  #countedAtMs: number;

  /** @param share of all traces, 0 to 1 */
  constructor(share: number, chance = Math.random, nowMs: () => number = () => performance.now()) {
    this.#share = share;
    this.#chance = chance;
    this.#nowMs = nowMs;
    this.#countedAtMs = nowMs();
  }

  takes(sent?: TraceParent): boolean {
    if (this.#chance() < this.#share) return true;
    return sent?.isSampled === true && this.#takesWanted();
  }

  #takesWanted(): boolean {
    const nowMs = this.#nowMs();
    const regained = ((nowMs - this.#countedAtMs) / 1000) * WANTED_PER_SECOND;
    this.#countedAtMs = nowMs;
    this.#left = Math.min(WANTED_PER_SECOND, this.#left + regained);
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

// Times of spans: the machine's clock, which spans of several processes share, told from the monotonic one, so that no span of a process
// ends before it begins.

/** How far the two may part before the machine's clock counts as set, ms. */
const APART_MS_MAX = 50;

/** @returns gives milliseconds since the epoch, with fractions, for what `performance.now()` said */
export function spanTime(): (atMs: number) => number {
  let offsetMs = Date.now() - performance.now();
  return (atMs) => {
    const apartMs = Date.now() - (offsetMs + performance.now());
    if (Math.abs(apartMs) > APART_MS_MAX) offsetMs += apartMs;
    return offsetMs + atMs;
  };
}
