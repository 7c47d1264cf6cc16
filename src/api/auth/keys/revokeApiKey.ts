// DELETE /v1/auth/api-keys/{id}: revokes one of the caller's keys. The key stops at once here and within a second
// everywhere.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { ApiKeyId, exactly } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';
import { bound } from './keyLimitFields.ts';

export const revokeApiKeyEndpoint = endpoint({
  id: 'revokeApiKey',
  method: 'delete',
  path: '/v1/auth/api-keys/:id',
  tag: 'API keys',
  summary: 'Revokes an API key.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  answer: { about: 'The key is good for nothing any more.', schema: exactly({ id: ApiKeyId, message: Type.String() }) },
  errors: { 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => {
    const { keys, credentials, now } = parts;
    return async (ctx) => {
      const user = await requireUser(ctx, parts);
      const { id = '' } = ctx.params;
      const revoked = await keys.revoke(user._id, id, new Date(now()));
      // Announced again for a key that was revoked before: repeating a request that failed half way completes it.
      if (revoked) await credentials.applyChange(user._id, [revoked.key.digest]);
      if (revoked?.isRevokedNow)
        await recordAudit(ctx, parts, {
          userId: user._id,
          action: 'api_key.revoked',
          outcome: 'ok',
          detail: id,
          ...bound(revoked.key),
        });
      else throw new RequestError(404, 'unknown_api_key', 'There is no such API key.');
      answerJson(ctx, { id, message: 'The API key is revoked.' });
    };
  },
});
