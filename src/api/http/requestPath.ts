// Reads a request's path: repeated slashes become one, each part has one form of percent-encoding, and an API key in the
// path is taken out. All later code sees this path alone: the price, the router and the refusals mean the same endpoint, and
// no log line or metric can show a key.

/** The exchange that this service emulates; any other is unknown. */
export const EXCHANGE = 'perpx';

/** The one form of the path of an endpoint that trades or answers questions. */
export const tradingPath = (name: 'info' | 'exchange'): string => `/v1/exchanges/${EXCHANGE}/${name}`;

/** The parts of a normalised path. */
export interface RequestPath {
  /** Segments joined by single slashes, without query and without the key: `/v1/exchanges/perpx/info`; what is odd is encoded. */
  readonly path: string;
  /** `?…` as it came, or empty. */
  readonly query: string;
  /** The key that was in the path; empty when its place was empty. */
  readonly key?: string;
  /** The `{exchange}` segment, when the path is below `/v1/exchanges`. */
  readonly exchange?: string;
}

/**
 * Reads the target of a request line.
 * @param target path and query as the client sent them
 * @returns undefined when the percent-encoding cannot be read
 */
export function readRequestPath(target: string): RequestPath | undefined {
  const known = IN_ORDER.get(target);
  if (known !== undefined) return known;
  const path = putInOrder(target);
  return path?.path.endsWith('/ws') ? takeQueryKey(path) : path;
}

/** Most requests come to these exact paths. */
const IN_ORDER: ReadonlyMap<string, RequestPath> = new Map(
  (['info', 'exchange'] as const).map((name) => {
    const path = tradingPath(name);
    return [path, { path, query: '', exchange: EXCHANGE }];
  }),
);

function putInOrder(target: string): RequestPath | undefined {
  const end = target.search(/[?#]/);
  const query = end === -1 ? '' : target.slice(end);
  const segments = toSegments(end === -1 ? target : target.slice(0, end));
  if (segments === undefined) return undefined;
  const [version, area, exchange, word, key, ...rest] = segments;
  if (version !== 'v1' || area !== 'exchanges' || exchange === undefined) return { path: join(segments), query };
  if (word !== 'key') return { path: join(segments), query, exchange };
  return { path: join([version, area, exchange, ...rest]), query, key: key ?? '', exchange };
}

/** Many WebSocket clients can send no header of their own, so there the key may be in the query. */
function takeQueryKey(path: RequestPath): RequestPath {
  const fields = new URLSearchParams(path.query);
  const key = fields.get('apiKey');
  if (key === null) return path;
  fields.delete('apiKey');
  const left = fields.toString();
  return { key, ...path, query: left === '' ? '' : `?${left}` };
}

const join = (segments: readonly string[]): string => `/${segments.map(encodeURIComponent).join('/')}`;

/** A slash in percent-encoding separates like any other: no part of a path may hide several. */
function toSegments(path: string): string[] | undefined {
  try {
    const decoded = path.includes('%') ? decodeURIComponent(path) : path;
    return decoded.split('/').filter((segment) => segment !== '');
  } catch {
    return undefined; // a lone % or bytes that are no UTF-8: the client's mistake, told by the caller
  }
}
