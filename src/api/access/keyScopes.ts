// The check that an API key has the scope that an endpoint names.
import { USER_SCOPES } from '../../shared/mongo/keyStore.ts';
import type { NeededScope } from '../contract/endpoint.ts';
import { addressNotAllowed, hasScope, requireScope } from './keyRecord.ts';
import type { RouteContext } from './requestContext.ts';

/** @throws {RequestError} 403 */
export function requireKeyAccess(ctx: RouteContext, scope: NeededScope): void {
  const { key, isKeyElsewhere } = ctx.state.request;
  if (isKeyElsewhere) throw addressNotAllowed();
  if (key === undefined) return;
  if (scope !== 'any') requireScope(key, scope);
  else if (!USER_SCOPES.some((one) => hasScope(key, one))) requireScope(key, 'read');
}
