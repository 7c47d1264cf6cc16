// Reads a client's frame. Pure text work: the parts that use it judge what a subscription or a request means.

export interface SubscriptionFrame {
  readonly type: 'subscribe' | 'unsubscribe';
  /** Has a `type`, which is text. */
  readonly subscription: object;
  /** The subscription's JSON as it was sent: clients find their request by it in the text of an error. */
  readonly text: string;
}

/** What tells a client which of its posts an answer is for. */
export interface PostHead {
  readonly id: number;
  readonly request: { readonly type: 'info' | 'action' };
}

export interface PostFrame extends PostHead {
  readonly type: 'post';
  /** The payload is what the body of the same request over HTTP would be. */
  readonly request: { readonly type: 'info' | 'action'; readonly payload: unknown };
}

export type ClientFrame = { readonly type: 'ping' } | SubscriptionFrame | PostFrame;

/** @returns undefined for text that is no frame of the protocol */
export function readFrame(text: string): ClientFrame | undefined {
  const message = parsed(text);
  if (!isObject(message)) return undefined;
  const { method } = message;
  switch (method) {
    case 'ping':
      return { type: 'ping' };
    case 'subscribe':
    case 'unsubscribe': {
      const { subscription } = message;
      if (!isObject(subscription) || typeof subscription['type'] !== 'string') return undefined;
      return { type: method, subscription: withManners(subscription, message), text: textOf('subscription', text) };
    }
    case 'post': {
      const { id, request } = message;
      if (!isId(id) || !isObject(request)) return undefined;
      const { type, payload } = request;
      if (type !== 'info' && type !== 'action') return undefined;
      return { type: 'post', id, request: { type, payload } };
    }
    default:
      return undefined;
  }
}

/** The beginning of a post as clients write it. */
const POST_HEAD =
  /^\s*\{\s*"method"\s*:\s*"post"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,\s*"request"\s*:\s*\{\s*"type"\s*:\s*"(info|action)"/;
/** Characters in which such a beginning ends. */
const HEAD_LENGTH_MAX = 256;

/** Whose post it is, by the beginning of a frame that is not worth parsing. @returns undefined where it does not begin like a post */
export function readPostHead(text: string): PostHead | undefined {
  const [, id, type] = POST_HEAD.exec(text.slice(0, HEAD_LENGTH_MAX)) ?? [];
  return id === undefined ? undefined : { id: Number(id), request: { type: type === 'action' ? 'action' : 'info' } };
}

/** `fromSeq` may stand in the subscription or beside it. */
function withManners(subscription: object, { fromSeq }: Fields): object {
  return fromSeq === undefined || 'fromSeq' in subscription ? subscription : { ...subscription, fromSeq };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON is no frame, which the caller says
  }
}

interface Fields {
  readonly fromSeq?: unknown;
  readonly method?: unknown;
  readonly subscription?: unknown;
  readonly id?: unknown;
  readonly request?: unknown;
  readonly type?: unknown;
  readonly payload?: unknown;
}

const isObject = (value: unknown): value is Fields & Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (id: unknown): id is number => Number.isSafeInteger(id) && (id as number) >= 0;

/**
 * The text of a field's value in the text of an object; where the field is there twice, of the last, as JSON.parse reads it.
 * @param json a valid object that has the field
 */
function textOf(field: string, json: string): string {
  let found = '';
  let at = skipSpace(json, json.indexOf('{') + 1);
  while (json[at] === '"') {
    const nameEnd = endOfValue(json, at);
    const valueStart = skipSpace(json, json.indexOf(':', nameEnd) + 1);
    const valueEnd = endOfValue(json, valueStart);
    if (JSON.parse(json.slice(at, nameEnd)) === field) found = json.slice(valueStart, valueEnd);
    at = skipSpace(json, skipSpace(json, valueEnd) + 1);
  }
  return found;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(json[at] ?? '-')) at += 1;
  return at;
}

const SCALAR_END = /[,\]}\s]/g;
const NEXT_OF_NESTED = /["[\]{}]/g;

/** Where the value that begins at `start` ends. */
function endOfValue(json: string, start: number): number {
  const first = json[start];
  if (first === '"') return endOfString(json, start);
  if (first !== '{' && first !== '[') return find(SCALAR_END, json, start);
  let depth = 0;
  let at = start;
  do {
    at = find(NEXT_OF_NESTED, json, at);
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at);
    else {
      depth += sign === '{' || sign === '[' ? 1 : -1;
      at += 1;
    }
  } while (depth > 0);
  return at;
}

/** The quote that ends a string has an even number of backslashes before it. */
function endOfString(json: string, start: number): number {
  let quote = start;
  let before: number;
  do {
    quote = json.indexOf('"', quote + 1);
    before = quote - 1;
    while (json[before] === '\\') before -= 1;
  } while ((quote - before) % 2 === 0);
  return quote + 1;
}

function find(pattern: RegExp, json: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(json)?.index ?? json.length;
}
