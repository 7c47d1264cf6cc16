// Which scope of an API key each endpoint needs, in one table, and the middleware that asks for it. An endpoint that
// takes a key and is missing here needs the scope to trade; a test names it.
import type Router from '@koa/router';
import type { Next } from 'koa';
import { type KeyScope, USER_SCOPES } from '../../../shared/keyLimits.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { RequestContext, RouteContext } from '../requestContext.ts';
import { addressNotAllowed, hasScope, requireScope } from './keyLimits.ts';

/** `any`: one of a user's scopes, and the endpoint goes by which. */
export type NeededScope = KeyScope | 'any';

/** By `id` of the endpoint. Over a WebSocket posts of actions need `trade` as well. Tools need the scope of what they do. */
export const SCOPE_NEEDED: Readonly<Record<string, NeededScope>> = {
  info: 'read',
  exchange: 'trade',
  openStream: 'read',
  mcp: 'any',
  showOverview: 'read',
  listPositions: 'read',
  listOrders: 'read',
  listOpenOrders: 'read',
  listFills: 'read',
  listRoundTrips: 'read',
  showRoundTripFigures: 'read',
  showAnalytics: 'read',
  showEquityCurve: 'read',
  showTearsheet: 'read',
  showTearsheetFigures: 'read',
  showGroup: 'read',
  compareAccounts: 'read',
  showHouseRules: 'read',
  showTerms: 'read',
  exportAccount: 'read',
  topUp: 'trade',
  resetAccount: 'trade',
  setBalance: 'trade',
  forkAccount: 'trade',
  importAccount: 'trade',
  startMirror: 'trade',
  showMirror: 'read',
  stopMirror: 'trade',
  showDivergence: 'read',
};

export const takesKey = ({ credential }: Endpoint): boolean => credential === 'key' || credential === 'either';

const BELOW_ADMIN = '/v1/admin/';

/** What is operators' goes by the method: to look, or to act. */
export const scopeOf = ({ id, path, method }: Pick<Endpoint, 'id'> & Partial<Pick<Endpoint, 'path' | 'method'>>): NeededScope => {
  if (path?.startsWith(BELOW_ADMIN)) return method === 'get' ? 'admin:read' : 'admin:write';
  return SCOPE_NEEDED[id] ?? 'trade';
};

/** Mount it before the routes. It asks for nothing where an endpoint takes no key. */
export function mountKeyScopes(router: Router<{ request: RequestContext }>, endpoints: readonly Endpoint[]): void {
  const scopes = new Map(
    endpoints.filter(takesKey).map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, scopeOf(endpoint)]),
  );
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
