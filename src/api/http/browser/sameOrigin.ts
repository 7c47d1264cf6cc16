// Refuses requests of other sites' pages at the endpoints that go by a cookie, which browsers send by themselves. Three things
// have to agree: where the page is from, what the browser says of it, and a header that a form cannot send and a page of
// another origin only after a preflight, which is never granted there.
import type { Context } from 'koa';
import type { Config } from '../../../shared/config/config.ts';
import { isLoopback } from '../../../shared/config/rules.ts';
import { RequestError } from '../../../shared/errors.ts';

/** What a page of ours says in `X-Requested-With`. */
export const OUR_PAGE = 'dashboard';
/** How a machine calls itself in addresses. */
const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** @returns the check of a request @throws {RequestError} 403 by the check */
export function createOriginCheck({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): (ctx: Pick<Context, 'get'>) => void {
  const origins = originsOf(PUBLIC_URL);
  return (ctx) => {
    const [origin, site] = [ctx.get('origin'), ctx.get('sec-fetch-site')];
    const isOurs = origin === '' ? site === 'same-origin' : origins.has(origin) && (site === '' || site === 'same-origin');
    if (isOurs && ctx.get('x-requested-with') === OUR_PAGE) return;
    const [from] = origins;
    throw new RequestError(403, 'cross_site', `Only pages of ${from} may ask this, with X-Requested-With: ${OUR_PAGE}.`);
  };
}

function originsOf(publicUrl: string): ReadonlySet<string> {
  const url = new URL(publicUrl);
  const { origin, protocol, port } = url;
  if (!isLoopback(url.hostname)) return new Set([origin]);
  return new Set([origin, ...OWN_NAMES.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`)]);
}
