// Traces as the service sees them: where time goes on the way of one order, question or run of a job, across processes. Few are
// recorded; of the others, and of all while no collector is named, there is no span, and nothing of OpenTelemetry is loaded.

/** All that a span may say of what it is about. There is no place for a key, a token, a path or a body. */
export interface SpanFields {
  readonly requestId?: string;
  readonly accountId?: string;
  readonly keyId?: string | undefined;
  readonly shard?: number;
  /** Type of the command, or of the question. */
  readonly command?: string;
  /** Number of the commit in its shard's journal. */
  readonly commit?: number;
  readonly job?: string;
  readonly method?: string;
  /** The route's template. */
  readonly route?: string;
  readonly status?: number;
  /** The owner of the server that is called. */
  readonly store?: 'redis' | 'mongodb';
}

export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer';
  readonly fields?: SpanFields;
  /** By `performance.now()`; absent = now. */
  readonly startMs?: number;
}

export interface SpanEnd {
  /** In place of the name that it was begun with. */
  readonly name?: string;
  readonly fields?: SpanFields;
  /** Machine-readable code of what went wrong. */
  readonly error?: string | undefined;
}

/** A part of a trace that is recorded. */
export interface Span {
  readonly traceId: string;
  /** As `traceparent`: what another process does for it names this as what it belongs to. */
  readonly place: string;
  child(name: string, options?: SpanOptions): Span;
  /** To be called once. */
  end(end?: SpanEnd): void;
}

export interface Tracing {
  /**
   * The first span of a request.
   * @param sent what the client has sent as `traceparent`
   * @returns undefined when it is not recorded
   */
  request(sent: TraceParent | undefined): Span | undefined;
  /** The first span of what begins here by itself. */
  root(name: string, fields: SpanFields): Span | undefined;
  /**
   * A span of a trace that came from another process, or from an earlier time of this one.
   * @param place as the span has it that this one belongs to; undefined = that is not recorded
   */
  follow(place: string | undefined, name: string, options?: SpanOptions): Span | undefined;
  /** Sends what is recorded, as far as that is taken in time. */
  stop(): Promise<void>;
}

/** Does a part of the work as a span of its own, where what it belongs to is traced. */
export async function inSpan<Result>(
  trace: Span | undefined,
  { name, ...options }: SpanOptions & { readonly name: string },
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (trace === undefined) return work(undefined);
  const span = trace.child(name, options);
  try {
    const result = await work(span);
    span.end();
    return result;
  } catch (error) {
    span.end({ error: codeOf(error) });
    throw error;
  }
}

/** The failure as a span shows it: never its text, which may hold words of a client. */
export const codeOf = (error: unknown): string => {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
};

/** Records nothing. */
export const noTracing: Tracing = {
  request: () => undefined,
  root: () => undefined,
  follow: () => undefined,
  stop: async () => undefined,
};

// W3C's `traceparent`: the place in a trace that a request or a command comes from, as text.
// https://www.w3.org/TR/trace-context/

export interface TraceParent {
  /** 32 hex digits in lower case, not all zero. */
  readonly traceId: string;
  /** 16 of them: the span that what comes next belongs to. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;

/** @returns undefined for what is no `traceparent`. Of a version after the first the part is read that all versions have. */
export function readTraceparent(text: string | readonly string[] | undefined): TraceParent | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** Of a span that is recorded. */
export const writeTraceparent = ({ traceId, spanId }: Pick<TraceParent, 'traceId' | 'spanId'>): string =>
  `00-${traceId}-${spanId}-01`;
