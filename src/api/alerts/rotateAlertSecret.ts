// POST /v1/alerts/endpoints/{id}/secret: the next secret, shown once. The one before signs beside it for a day.

import { Type } from '@sinclair/typebox';
import { webhookSecret } from '../../features/alerts/store/webhookSecret.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import { CodeText } from '../auth/credentialsBody.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../auth/secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../auth/session/requireLiveUser.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { AlertEndpointId, type AlertParts, AlertSecretAnswer, toEndpointAnswer, unknownEndpoint } from './alertAnswers.ts';

const OVERLAP_MS = DAY_MS;

const readBody = compileReader(
  Type.Object({ code: Type.Optional(CodeText) }, { additionalProperties: false, expected: 'an object of code' }),
);

export const rotateAlertSecretEndpoint = endpoint({
  id: 'rotateAlertSecret',
  method: 'post',
  path: '/v1/alerts/endpoints/:id/secret',
  tag: 'Alerts',
  summary: 'Makes the next secret of a webhook, shown once. The one before signs beside it for a day.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  body: { schema: readBody.schema, examples: { next: {} } },
  answer: {
    about: 'The secret.',
    schema: AlertSecretAnswer,
  },
  errors: {
    401: SECOND_FACTOR_ERRORS,
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
    409: ['no_secret'],
    503: ['busy'],
  },
  handle: ({ auth, alerts }: AlertParts) => {
    const { endpoints, realNow } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, auth);
      const userId = live.user._id;
      const { id = '' } = ctx.params;
      const { code } = readBody(await auth.readBody(ctx));
      await requireSecondFactor(ctx, auth, { ...live, code });
      const before = await endpoints.findOwn(userId, id);
      if (before === null) throw unknownEndpoint();
      if (before.channel !== 'webhook')
        throw new RequestError(409, 'no_secret', `Only a webhook has a secret: the channel is ${before.channel}.`);
      const { secret, note } = await webhookSecret(auth.secrets, id, before.secret.version + 1);
      const rotated = await endpoints.rotate(before, { secret: note, beforeUntil: new Date(realNow() + OVERLAP_MS) });
      if (rotated === null)
        throw new RequestError(503, 'busy', 'The endpoint is being changed by other requests.', { 'Retry-After': '1' });
      await recordAudit(ctx, auth, { userId, action: 'alert_endpoint.rotated', outcome: 'ok', detail: id });
      answerJson(ctx, { secret, endpoint: await toEndpointAnswer(alerts, rotated) });
    };
  },
});
