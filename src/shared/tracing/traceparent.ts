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
