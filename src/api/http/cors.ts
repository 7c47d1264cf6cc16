// Which web pages may call this API from a browser: those of CORS_ORIGINS, none by default. The endpoints of the one cookie
// answer no page of another origin, so a page gets no more than its own key or token allows.
import koaCors from '@koa/cors';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import type { RequestState } from '../access/requestContext.ts';
import { COOKIE_PATH } from './browser/refreshCookie.ts';

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
