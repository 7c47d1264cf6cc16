// What the endpoints that change an account as a whole share: they send a command to the actor under the client's
// Idempotency-Key, write a row in the audit log, and answer a refusal by the rules with a 400.
import { createHash } from 'node:crypto';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { isSubAccount, sendOptionsOf } from '../accounts/services.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { type AuditedAct, recordAudit } from '../http/audited.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import type { PaidOwner } from './paidOwnerOf.ts';

export interface AccountAct {
  readonly command: AccountCommand;
  /** The client's own request beside the endpoint. The current plan is not part of it, so a repeated request stays the same. */
  readonly asked: unknown;
  readonly note: Pick<AuditedAct, 'action' | 'detail'>;
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
  const outcome = await parts.accounts.send(accountId, command, {
    ...sendOptionsOf(call),
    ...(key !== undefined && { idempotency: { key, bodyDigest: digestOf({ type: command.type, asked }) } }),
  });
  const isRefused = outcome.type === 'refused';
  const act = { userId: user._id, outcome: isRefused ? 'refused' : 'ok', ...note } as const;
  await recordAudit(ctx, parts, isSubAccount(call.caller) ? { ...act, account: accountId } : act);
  if (isRefused) throw new RequestError(400, refusalCode, outcome.text);
  assert(outcome.type === 'balanceChanged', `${command.type} is answered by the balance, not by ${outcome.type}`);
  return outcome;
}

const digestOf = (asked: object): string => createHash('sha256').update(JSON.stringify(asked)).digest('hex');
