// A scenario that makes a storm of 429 sets the failure lab of the API key that runs it, as its user would with PUT …/api-keys/{id}/lab.
import { randomBytes } from 'node:crypto';
import { RequestError } from '../../../shared/errors.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { type LabSettings, readLab } from '../../accounts/labFields.ts';
import { bound } from '../../auth/keys/keyLimitFields.ts';
import type { AuthParts } from '../../auth/parts/authParts.ts';
import { recordAudit } from '../../http/audited.ts';

const RUN_BYTES = 12;

/** @returns undefined where no API key came: there is none that a lab could concern */
export function scenarioLab(
  ctx: Parameters<typeof recordAudit>[0] & RouteContext,
  parts: AuthParts,
): ((lab: LabSettings | undefined) => Promise<void>) | undefined {
  const caller = ctx.state.request.key?.caller;
  if (caller === undefined || caller.keyId === '') return undefined;
  const { userId, keyId } = caller;
  return async (lab) => {
    const profile = lab === undefined ? undefined : readLab(lab, randomBytes(RUN_BYTES).toString('hex'));
    const key = await parts.keys.setLab(userId, keyId, profile);
    if (key === null) throw new RequestError(404, 'unknown_api_key', 'The API key has been revoked.');
    await parts.credentials.applyChange(userId, [key.digest]);
    const act = { userId, action: 'api_key.changed', outcome: 'ok', detail: `${keyId} lab` } as const;
    await recordAudit(ctx, parts, { ...act, ...bound(key) });
  };
}
