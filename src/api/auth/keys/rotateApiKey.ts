// POST /v1/auth/api-keys/{id}/rotate: makes a key anew, shown in this answer and never again. The key before it stops at once
// here and within a second everywhere, its sockets with it. Id, name, account and limits stay, and so does what is left of the
// key's requests of the minute.

import { Type } from '@sinclair/typebox';
import { ApiKeyId } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import { bodyWithoutCode, CodeText } from '../credentialsBody.ts';
import { OPERATOR_ERRORS, requireGrantable } from '../operators/requireConfirmed.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../session/requireLiveUser.ts';
import { replaceKey } from './changeApiKey.ts';
import { ShownKey } from './createApiKey.ts';
import { bound, toKeyLimitAnswer } from './keyLimitFields.ts';
import { newApiKey } from './newApiKey.ts';

const readCode = compileReader(Type.Object({ code: Type.Optional(CodeText) }, { expected: 'an object' }));

export const rotateApiKeyEndpoint = endpoint({
  id: 'rotateApiKey',
  method: 'post',
  path: '/v1/auth/api-keys/:id/rotate',
  tag: 'API keys',
  summary: 'Makes an API key anew, shown once; the key before it stops.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  body: { schema: readCode.schema, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The new key.', schema: ShownKey },
  errors: {
    401: SECOND_FACTOR_ERRORS,
    403: OPERATOR_ERRORS,
    404: ['unknown_api_key', 'not_found'],
    405: ['method_not_allowed'],
    503: ['busy'],
  },
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const hasBody = ctx.is('*/*') !== null && ctx.request.length !== 0;
    const body = hasBody ? await parts.readBody(ctx) : {};
    await requireSecondFactor(ctx, parts, { ...live, code: readCode(body).code });
    const { id = '' } = ctx.params;
    const rotate = async () => {
      const { apiKey, digest, prefix } = newApiKey();
      const rotatedAt = new Date(parts.now());
      const key = await replaceKey(parts, { userId: user._id, id }, (before) => {
        requireGrantable(live, before.scopes, parts.now());
        return { ...before, digest, prefix, rotatedAt };
      });
      await recordAudit(ctx, parts, { userId: user._id, action: 'api_key.rotated', outcome: 'ok', detail: id, ...bound(key) });
      sendNotice(ctx, parts, { user, kind: 'api_key.created', subject: key.name });
      const message = 'Keep this key now: it is not shown again. The key before it has stopped.';
      return { api_key: apiKey, id, name: key.name, account: key.account ?? null, ...toKeyLimitAnswer(key), message };
    };
    answerJson(ctx, await parts.idempotency.run(ctx, { scope: `rotate:${user._id}:${id}`, body: bodyWithoutCode(body) }, rotate));
  },
});
