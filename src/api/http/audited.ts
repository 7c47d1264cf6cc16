// Writes a security-relevant act of a request to the audit log. The act has happened by then, so a failed write
// undoes nothing: the row then goes into the process's log.

import type { Logger } from '../../shared/logger.ts';
import type { Act, AuditLog } from '../../shared/mongo/auditLog.ts';
import { addressOf, type RouteContext } from '../access/requestContext.ts';

export interface RecordAuditParts {
  readonly audit: AuditLog;
  readonly log: Logger;
}

/** The endpoint's part of the act; the request gives the rest. Default `actor`: the user with a token, else the API key. */
export type AuditedAct = Pick<Act, 'userId' | 'action' | 'outcome'> &
  Partial<Pick<Act, 'actor' | 'account' | 'detail' | 'once' | 'timeMs'>>;

/** Resolves when the row is durable, or logged because the write failed. */
export async function recordAudit(ctx: RouteContext, { audit, log }: RecordAuditParts, noted: AuditedAct): Promise<void> {
  const { requestId, receivedAtMs, key, token } = ctx.state.request;
  const actor = key === undefined || token?.userId === noted.userId ? 'user' : `key:${key.caller.keyId}`;
  const act: Act = { actor, address: addressOf(ctx), timeMs: receivedAtMs, ...noted };
  try {
    await audit.write(act);
  } catch (error) {
    log.error({ requestId, act, err: error }, 'an act could not be written to the audit log');
  }
}
