// A browser that shows an address says in `Accept` that it wants text/html; programs, and the scripts of pages, do not.
import type { Context } from 'koa';

/** True when a person's browser opens the address. */
export const isPageVisit = (ctx: Pick<Context, 'method' | 'get'>): boolean =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') && ctx.get('accept').includes('text/html');
