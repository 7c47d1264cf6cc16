// Requests of the page to the API. Each carries the access token; an expired one is renewed once.
import { type Answer, readAnswer } from './answer.ts';
import { accessToken, ended, renewSession } from './browserSession.ts';

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** A status above 299 that is no refusal, but an answer of the same shape. */
  readonly alsoStatus?: number;
}

/**
 * An answer that comes after the session's end is thrown away: the next session may be of another user. @throws as `request`, and
 * then
 */
export async function get<Body>(path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
  const session = ended;
  const answer = await request<Body>('GET', path, options);
  if (session !== ended) throw new TypeError('The session has ended meanwhile.');
  return answer;
}

export const post = <Body>(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer<Body>> =>
  request('POST', path, { ...options, body });
export const remove = <Body>(path: string, options: RequestOptions = {}): Promise<Answer<Body>> =>
  request('DELETE', path, options);

/**
 * Sends a request as the user who is logged in.
 * @throws {ApiError} with what the API refused
 * @throws {TypeError} when there is no connection
 */
export async function request<Body>(method: string, path: string, options: RequestOptions): Promise<Answer<Body>> {
  const token = accessToken.peek();
  const first = await send(method, path, options, token);
  const isExpired = first.status === 401 && token !== undefined;
  if (!isExpired || !(await renewSession(token))) return readAnswer(first, options);
  return readAnswer(await send(method, path, options, accessToken.peek()), options);
}

/** @param token undefined = without one */
function send(method: string, path: string, options: RequestOptions, token: string | undefined): Promise<Response> {
  const { body, headers, signal } = options;
  return fetch(path, {
    method,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // None of what is not given.
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
}
