// A security-relevant act of a request becomes a row of the audit log. The act has happened by then, so a log that cannot be
// written takes nothing back: what the row would have said goes into the process's log.

import type { Logger } from '../../shared/logger.ts';
import type { Act, AuditLog } from '../../shared/mongo/auditLog.ts';
import type { RouteContext } from '../http/requestContext.ts';

export interface RecordAuditParts {
  readonly audit: AuditLog;
  readonly log: Logger;
}

/** What the endpoint knows of the act; the request tells the rest. Without an `actor` it is the user with their token, or else the API key. */
export type AuditedAct = Pick<Act, 'userId' | 'action' | 'outcome'> & Partial<Pick<Act, 'actor' | 'detail' | 'once' | 'timeMs'>>;

/** Resolves when the row is durable, or logged where it cannot be. */
export async function recordAudit(ctx: RouteContext, { audit, log }: RecordAuditParts, noted: AuditedAct): Promise<void> {
  const { requestId, receivedAtMs, key, token } = ctx.state.request;
  const actor = key === undefined || token?.userId === noted.userId ? 'user' : `key:${key.caller.keyId}`;
  const act: Act = { actor, address: ctx.ip, timeMs: receivedAtMs, ...noted };
  try {
    await audit.write(act);
  } catch (error) {
    log.error({ requestId, act, err: error }, 'an act could not be written to the audit log');
  }
}
