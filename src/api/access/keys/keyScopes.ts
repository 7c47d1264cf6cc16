// Asks for the scope of an API key that an endpoint names.
import type Router from '@koa/router';
import type { Next } from 'koa';
import { USER_SCOPES } from '../../../shared/keyLimits.ts';
import type { Endpoint, NeededScope } from '../../contract/endpoint.ts';
import type { RequestContext, RouteContext } from '../requestContext.ts';
import { addressNotAllowed, hasScope, requireScope } from './keyLimits.ts';

/** Mount it before the routes. It asks for nothing where an endpoint takes no key. */
export function mountKeyScopes(router: Router<{ request: RequestContext }>, endpoints: readonly Endpoint[]): void {
  const scopes = new Map(endpoints.map(({ method, path, scope }) => [`${method.toUpperCase()} ${path}`, scope]));
  router.use(async (ctx: RouteContext, next: Next) => {
    const route = (ctx.matched ?? []).findLast(({ methods }) => methods.includes(ctx.method))?.path;
    const scope = scopes.get(`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${String(route)}`);
    if (scope !== undefined) requireKeyAccess(ctx, scope);
    await next();
  });
}

/** @throws {RequestError} 403 */
export function requireKeyAccess(ctx: RouteContext, scope: NeededScope): void {
  const { key, isKeyElsewhere } = ctx.state.request;
  if (isKeyElsewhere) throw addressNotAllowed();
  if (key === undefined) return;
  if (scope !== 'any') requireScope(key, scope);
  else if (!USER_SCOPES.some((one) => hasScope(key, one))) requireScope(key, 'read');
}
