// DELETE /v1/auth/api-keys/{id}/lab: takes the failure lab of a key away. What waits for its latency is decided at its time.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../../shared/errors.ts';
import { ApiKeyId, exactly } from '../../../contract/answerValues.ts';
import { CHEAP } from '../../../domain/requestPrice.ts';
import { answerJson } from '../../../http/answers.ts';
import { recordAudit } from '../../../http/audited.ts';
import { endpoint } from '../../../http/endpoint.ts';
import type { AuthParts } from '../../authParts.ts';
import { requireLiveUser } from '../../session/requireLiveUser.ts';
import { bound } from '../keyLimitFields.ts';

export const endLabEndpoint = endpoint({
  id: 'endLab',
  method: 'delete',
  path: '/v1/auth/api-keys/:id/lab',
  tag: 'API keys',
  summary: 'Takes the failure lab of an API key away.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  answer: { about: 'The key has none.', schema: exactly({ id: ApiKeyId, profile: Type.Null() }) },
  errors: { 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => {
    const { keys, credentials } = parts;
    return async (ctx) => {
      const { user } = await requireLiveUser(ctx, parts);
      const { id = '' } = ctx.params;
      const key = await keys.setLab(user._id, id, undefined);
      if (key === null) throw new RequestError(404, 'unknown_api_key', 'There is no such API key.');
      await credentials.applyChange(user._id, [key.digest]);
      const act = { userId: user._id, action: 'api_key.changed', outcome: 'ok', detail: `${id} lab` } as const;
      await recordAudit(ctx, parts, { ...act, ...bound(key) });
      answerJson(ctx, { id, profile: null });
    };
  },
});
