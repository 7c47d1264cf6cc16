// The parts of the server for browsers alone: the origin check of a page, the cookie of a session, the token of a socket, and CORS.

import type { IncomingMessage } from 'node:http';
import koaCors from '@koa/cors';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import { isLoopback } from '../../shared/config/schema.ts';
import type { RequestState } from '../access/requestContext.ts';
import { mayNot } from '../contract/whoMay.ts';

/** What a page of ours says in `X-Requested-With`. */
export const OUR_PAGE = 'dashboard';
/** How a machine calls itself in addresses. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests of other sites' pages at the endpoints that go by a cookie, which browsers send by themselves. Three things
 * have to agree: where the page is from, what the browser says of it, and a header that a form cannot send and a page of
 * another origin only after a preflight, which is never granted there.
 * @returns the check of a request @throws {RequestError} 403 by the check
 */
export function createOriginCheck({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): (ctx: Pick<Context, 'get'>) => void {
  const origins = originsOf(PUBLIC_URL);
  return (ctx) => {
    const [origin, site] = [ctx.get('origin'), ctx.get('sec-fetch-site')];
    const isOurs = origin === '' ? site === 'same-origin' : origins.has(origin) && (site === '' || site === 'same-origin');
    if (isOurs && ctx.get('x-requested-with') === OUR_PAGE) return;
    const [from] = origins;
    throw mayNot('cross_site', `Only pages of ${from} may ask this, with X-Requested-With: ${OUR_PAGE}.`);
  };
}

function originsOf(publicUrl: string): ReadonlySet<string> {
  const url = new URL(publicUrl);
  const { origin, protocol, port } = url;
  if (!isLoopback(url.hostname)) return new Set([origin]);
  return new Set([origin, ...OWN_NAMES.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)]);
}

// The cookie that keeps a browser logged in. Four endpoints ever see it: everything else asks for a header, which no page
// of another site can send. Its value is made and checked in refreshCookies.ts.

/** Where a browser sends the cookie: here and below, and nowhere else. */
const COOKIE_PATH = '/v1/auth/session';

type CookieConfig = Pick<Config, 'PUBLIC_URL'>;

/** A browser keeps cookies of all ports of a host together, so by plain http, which is for one machine, the port is in the name. */
function cookieName({ PUBLIC_URL }: CookieConfig): string {
  const { protocol, port } = new URL(PUBLIC_URL);
  return protocol === 'https:' ? '__Secure-refresh' : `refresh-${port || '80'}`;
}

/** @param seconds how long the browser keeps it; 0 = it forgets it @returns the text of a `Set-Cookie` header */
export function cookieHeader(config: CookieConfig, value: string, seconds: number): string {
  const secure = new URL(config.PUBLIC_URL).protocol === 'https:' ? ' Secure;' : '';
  return `${cookieName(config)}=${value}; HttpOnly;${secure} SameSite=Strict; Path=${COOKIE_PATH}; Max-Age=${seconds}`;
}

/** @returns undefined where there is none, and where there are several: one of them was planted */
export function readCookie(config: CookieConfig, header = ''): string | undefined {
  const start = `${cookieName(config)}=`;
  const own = header.split(';').map((pair) => pair.trim());
  const [value, ...others] = own.filter((pair) => pair.startsWith(start));
  return others.length === 0 ? value?.slice(start.length) : undefined;
}

/**
 * True when a person's browser opens the address. A browser that shows an address says in `Accept` that it wants text/html;
 * programs, and the scripts of pages, do not.
 */
export const isPageVisit = (ctx: Pick<Context, 'method' | 'get'>): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.get('accept').includes('text/html');

// A browser sends no header of its own with a WebSocket, but a list of protocols: `['perpx.v1', 'bearer.<token>']`. The token is
// taken out of the list before anything else sees it, as a key is taken out of a path, and is read like one in a header.

/** The protocol that the server chooses: a browser ends a connection for which none of its offers was chosen. */
export const STREAM_PROTOCOL = 'perpx.v1';
const TOKEN_START = 'bearer.';

/** A header `Authorization` counts where both are given; of several tokens none does. */
export function takeSocketToken({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const { 'sec-websocket-protocol': offered } = headers;
  if (offered === undefined || !offered.includes(TOKEN_START)) return;
  const offers = offered.split(',').map((offer) => offer.trim());
  const others = offers.filter((offer) => !offer.startsWith(TOKEN_START));
  const [token, ...more] = offers.filter((offer) => offer.startsWith(TOKEN_START));
  if (others.length > 0) headers['sec-websocket-protocol'] = others.join(', ');
  else delete headers['sec-websocket-protocol'];
  if (token !== undefined && more.length === 0) headers.authorization ??= `Bearer ${token.slice(TOKEN_START.length)}`;
}

// Which web pages may call this API from a browser: those of CORS_ORIGINS, none by default. The endpoints of the one cookie
// answer no page of another origin, so a page gets no more than its own key or token allows.

/** The headers that a page may read. */
const EXPOSED = [
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'],
  ...['X-Request-Id', 'X-Market-Source', 'X-Account-Seq'],
];
const ALLOWED_HEADERS = ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-API-Key', 'X-Request-Id', 'traceparent'];
const ALLOWED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
/** How long a browser may remember a preflight's answer, seconds. */
const PREFLIGHT_KEPT_SECONDS = 600;

/** Sets the headers for the page that asks, if it may. @returns true for a preflight, which needs no other answer */
export type Cors = (ctx: Context) => Promise<boolean>;

/**
 * @param config.CORS_ORIGINS origins separated by commas, or `*` for every page
 * @returns undefined when no page may call
 */
export function createCors({ CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): Cors | undefined {
  if (CORS_ORIGINS === '') return undefined;
  const origins = new Set(CORS_ORIGINS.split(',').map((origin) => origin.trim()));
  const middleware = koaCors({
    origin: (ctx) => (origins.has('*') ? '*' : origins.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ALLOWED_METHODS,
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_KEPT_SECONDS,
  });
  return async (ctx) => {
    const { path = '' } = ctx.state as RequestState;
    if (path === COOKIE_PATH || path.startsWith(`${COOKIE_PATH}/`)) return false;
    let isPreflight = true;
    await middleware(ctx, async () => {
      isPreflight = false;
    });
    return isPreflight;
  };
}
