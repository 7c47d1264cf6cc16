// The shape of an endpoint with an act for the audit log: its checks come first, and throw. Then `audited` runs the act and writes the
// act's row: `ok`, or `refused` where the act throws `RefusedAct`. The act has happened by then, so a failed write undoes nothing:
// the row then goes into the process's log.

import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { AuditLog, AuditRecord } from '../../shared/mongo/auditLog.ts';
import { addressOf, type RouteContext } from '../access/requestContext.ts';

export interface RecordAuditParts {
  readonly audit: AuditLog;
  readonly log: Logger;
}

/** The endpoint's part of the act; the request gives the rest. Default `actor`: the user with a token, else the API key. */
export type AuditedAct = Pick<AuditRecord, 'userId' | 'action' | 'outcome'> &
  Partial<Pick<AuditRecord, 'actor' | 'account' | 'detail' | 'once' | 'timeMs'>>;

/** The row of an act that runs. The act adds what is known only after it: the id of what it made, the account of the key. */
export type ActRow = Omit<AuditedAct, 'outcome' | 'account' | 'detail' | 'once'> & {
  account?: string;
  detail?: string;
  once?: string;
};

/** The rules refuse an act, or its object does: the user and operators see the attempt. */
export class RefusedAct extends RequestError {}

/**
 * Runs an act and writes its row. Other errors than `RefusedAct` leave no row: nothing was there to act on, or it is not known whether
 * the act has happened.
 * Resolves when the row is durable, or logged because the write failed.
 * @throws as the act does
 */
export async function audited<T>(
  ctx: RouteContext,
  parts: RecordAuditParts,
  row: ActRow,
  act: (row: ActRow) => Promise<T>,
): Promise<T> {
  let made: T;
  try {
    made = await act(row);
  } catch (error) {
    if (error instanceof RefusedAct) await recordAudit(ctx, parts, { ...row, outcome: 'refused' });
    throw error;
  }
  await recordAudit(ctx, parts, { ...row, outcome: 'ok' });
  return made;
}

/** Resolves when the row is durable, or logged because the write failed. */
export async function recordAudit(ctx: RouteContext, { audit, log }: RecordAuditParts, noted: AuditedAct): Promise<void> {
  const { requestId, receivedAtMs, key, token } = ctx.state.request;
  const actor = key === undefined || token?.userId === noted.userId ? 'user' : `key:${key.caller.keyId}`;
  const act: AuditRecord = { actor, address: addressOf(ctx), timeMs: receivedAtMs, ...noted };
  try {
    await audit.write(act);
  } catch (error) {
    log.error({ requestId, act, err: error }, 'an act could not be written to the audit log');
  }
}
