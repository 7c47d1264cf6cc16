// POST /v1/alerts/endpoints/{id}/change `{url?, kinds?, active?}`: what waits is sent to the new address; a paused endpoint keeps its place
// in the history, and goes on from there.
import { Type } from '@sinclair/typebox';
import type { AuthRouter } from '../auth/authParts.ts';
import { CodeText } from '../auth/credentialsBody.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../auth/secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../auth/session/requireLiveUser.ts';
import { endpoint } from '../contract/endpoint.ts';
import { answerJson } from '../http/answerJson.ts';
import { compileReader, unreadable } from '../http/requestReader.ts';
import {
  AlertEndpointAnswer,
  AlertEndpointId,
  type AlertParts,
  KindList,
  toEndpointAnswer,
  UrlText,
  unknownEndpoint,
} from './alertAnswers.ts';
import { requireUrl } from './requireUrl.ts';

const CHANGEABLE = ['url', 'kinds', 'active'];

const readBody = compileReader(
  Type.Object(
    {
      url: Type.Optional(UrlText),
      kinds: Type.Optional(KindList),
      active: Type.Optional(Type.Boolean({ description: 'false pauses it.', expected: 'true or false' })),
      code: Type.Optional(CodeText),
    },
    { additionalProperties: false, expected: 'an object of url, kinds, active and code' },
  ),
);

export const changeAlertEndpointEndpoint = endpoint({
  id: 'changeAlertEndpoint',
  method: 'post',
  path: '/v1/alerts/endpoints/:id/change',
  tag: 'Alerts',
  summary: 'Changes what is given of an endpoint, pauses it or has it go on.',
  credential: 'token',
  params: Type.Object({ id: AlertEndpointId }),
  body: { schema: readBody.schema, examples: { pause: { active: false }, fills: { kinds: ['fill'] } } },
  answer: { about: 'The endpoint as it is now.', schema: AlertEndpointAnswer },
  errors: {
    400: ['bad_url'],
    401: SECOND_FACTOR_ERRORS,
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
  },
});

export function mountChangeAlertEndpoint(router: AuthRouter, parts: AlertParts): void {
  const { auth, endpoints } = parts;
  router.post(changeAlertEndpointEndpoint.path, async (ctx) => {
    const live = await requireLiveUser(ctx, auth);
    const { id = '' } = ctx.params;
    const { url, kinds, active, code } = readBody(await auth.readBody(ctx));
    const given = Object.entries({ url, kinds, active }).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (given.length === 0) throw unreadable(`the body must have one of ${CHANGEABLE.join(', ')}`);
    if (url !== undefined) requireUrl(url, auth.config);
    await requireSecondFactor(ctx, auth, { ...live, code });
    const set = {
      ...(url !== undefined && { url }),
      ...(kinds !== undefined && { kinds }),
      ...(active === true && { state: 'active' as const }),
      ...(active === false && { state: 'paused' as const, pausedWhy: 'user' as const }),
    };
    const changed = await endpoints.change(live.user._id, id, { set, ...(active === true && { unset: { pausedWhy: '' } }) });
    if (changed === null) throw unknownEndpoint();
    const detail = `${id} ${given.join(',')}`;
    await recordAudit(ctx, auth, { userId: live.user._id, action: 'alert_endpoint.changed', outcome: 'ok', detail });
    answerJson(ctx, await toEndpointAnswer(parts, changed));
  });
}
