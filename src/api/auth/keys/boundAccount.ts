// Which account a key is to be bound to, as a request names it: one of the user's own, and one that exists.
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { ownerRecord } from '../../access/keyRecord.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import type { AuthParts } from '../authParts.ts';

/**
 * The account that the key is to be bound to, in lower case; undefined for none.
 * @throws {RequestError} 404 for an account that the user does not have, and as the gateway does
 */
export async function boundAccount(
  ctx: RouteContext,
  { ownAccounts }: AuthParts,
  { user, account }: { user: User; account: string | null | undefined },
): Promise<string | undefined> {
  if (account == null) return undefined;
  const { requestId, trace, receivedAtMs } = ctx.state.request;
  const { caller } = ownerRecord(user, '');
  const named = await ownAccounts.named({ caller, requestId, trace, receivedAtMs }, account);
  if (named === undefined) throw new RequestError(404, 'unknown_account', 'The user has no such account.');
  return named.accountId;
}
