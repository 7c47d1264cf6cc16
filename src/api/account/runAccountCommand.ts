// What the endpoints that change an account as a whole share: they send a command to the actor under the client's
// Idempotency-Key, write a row in the audit log, and answer a refusal by the rules with a 400.
import { createHash } from 'node:crypto';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { isSubAccount, sendOptionsOf } from '../accounts/services.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { type ActRow, audited, RefusedAct } from '../http/audited.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import type { PaidOwner } from './paidOwnerOf.ts';

export interface AccountAct {
  readonly command: AccountCommand;
  /** The client's own request beside the endpoint. The current plan is not part of it, so a repeated request stays the same. */
  readonly asked: unknown;
  readonly note: Pick<ActRow, 'action' | 'detail'>;
  /** `code` of the 400 for a refusal by the rules. */
  readonly refusalCode: string;
}

/** @throws {RequestError} 400 when the rules refuse, and as the gateway does */
export async function runAccountCommand(
  ctx: RouteContext,
  parts: AuthParts,
  { user, call }: PaidOwner,
  { command, asked, note, refusalCode }: AccountAct,
): Promise<Extract<Outcome, { type: 'balanceChanged' }>> {
  const key = idempotencyKeyOf(ctx);
  const { accountId } = call.caller;
  const row = { userId: user._id, ...note, ...(isSubAccount(call.caller) && { account: accountId }) };
  return audited(ctx, parts, row, async () => {
    const outcome = await parts.accounts.send(accountId, command, {
      ...sendOptionsOf(call),
      ...(key !== undefined && { idempotency: { key, bodyDigest: digestOf({ type: command.type, asked }) } }),
    });
    if (outcome.type === 'refused') throw new RefusedAct(400, refusalCode, outcome.text);
    assert(outcome.type === 'balanceChanged', `${command.type} is answered by the balance, not by ${outcome.type}`);
    return outcome;
  });
}

const digestOf = (asked: object): string => createHash('sha256').update(JSON.stringify(asked)).digest('hex');
