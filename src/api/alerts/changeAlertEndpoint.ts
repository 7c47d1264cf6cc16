// POST /v1/alerts/endpoints/{id}/change `{url?, kinds?, active?, margin_percents?, …}`: what waits is sent to the new address; a paused
// endpoint keeps its place in the history, and goes on from there.

import { Type } from '@sinclair/typebox';
import type { AlertKind } from '../../features/alerts/rules/alertKinds.ts';
import {
  ACT_KINDS,
  type AlertEndpointDocument,
  type StoredEndpoint,
  settingsOf,
} from '../../features/alerts/store/alertEndpoint.ts';
import { RequestError } from '../../shared/errors.ts';
import { CodeText } from '../auth/credentialsBody.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../auth/secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../auth/session/requireLiveUser.ts';
import { fitting, hasNone } from '../contract/requestValues.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import {
  AlertEndpointAnswer,
  AlertEndpointId,
  type AlertParts,
  KindList,
  requireProven,
  toEndpointAnswer,
  UrlText,
  unknownEndpoint,
} from './alertAnswers.ts';
import { readSettings, SETTINGS_FIELDS } from './alertSettings.ts';
import { requireUrl } from './requireUrl.ts';

const CHANGEABLE = ['url', 'kinds', 'active', ...Object.keys(SETTINGS_FIELDS)] as const;

const readBody = compileReader(
  Type.Object(
    {
      url: Type.Optional(UrlText),
      kinds: Type.Optional(KindList),
      active: Type.Optional(Type.Boolean({ description: 'false pauses it.', expected: 'true or false' })),
      ...SETTINGS_FIELDS,
      code: Type.Optional(CodeText),
    },
    {
      ...{ additionalProperties: false, expected: `an object of ${CHANGEABLE.join(', ')} and code` },
      ...fitting(`must have one of ${CHANGEABLE.join(', ')}`, hasNone(...CHANGEABLE)),
    },
  ),
);

export const changeAlertEndpointEndpoint = endpoint({
  id: 'changeAlertEndpoint',
  method: 'post',
  path: '/v1/alerts/endpoints/:id/change',
  tag: 'Alerts',
  summary: 'Changes what is given of an endpoint, pauses it or has it go on.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  body: {
    schema: readBody.schema,
    examples: { pause: { active: false }, fills: { kinds: ['fill'] }, quieter: { drawdown_percent: '20' } },
  },
  answer: { about: 'The endpoint as it is now.', schema: AlertEndpointAnswer },
  errors: {
    400: ['bad_url'],
    401: SECOND_FACTOR_ERRORS,
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
    409: ['endpoint_unproven', 'no_url'],
  },
  handle: ({ auth, alerts }: AlertParts) => {
    const { endpoints } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, auth);
      const { id = '' } = ctx.params;
      const { url, kinds, active, code, ...settings } = readBody(await auth.readBody(ctx));
      const given = Object.entries({ url, kinds, active, ...settings }).flatMap(([field, value]) =>
        value === undefined ? [] : [field],
      );
      if (url !== undefined) requireUrl(url, auth.config);
      await requireSecondFactor(ctx, auth, { ...live, code });
      const before = await endpoints.findOwn(live.user._id, id);
      if (before === null) throw unknownEndpoint();
      if (url !== undefined && before.channel !== 'webhook')
        throw new RequestError(409, 'no_url', `url must be left out: the channel is ${before.channel}.`);
      if (active !== undefined) requireProven(before);
      const wanted = readSettings(settings, settingsOf(before));
      const set = {
        ...(url !== undefined && { url }),
        ...(kinds !== undefined && { kinds, ...begun(before, kinds, new Date(auth.now())) }),
        ...(wanted !== undefined && { settings: wanted }),
        ...(active === true && { state: 'active' as const }),
        ...(active === false && { state: 'paused' as const, pausedWhy: 'user' as const }),
      };
      const unset = { ...(active === true && { pausedWhy: '' as const }), ...(kinds !== undefined && ended(kinds)) };
      const changed = await endpoints.change(live.user._id, id, { set, ...(Object.keys(unset).length > 0 && { unset }) });
      if (changed === null) throw unknownEndpoint();
      const detail = `${id} ${given.join(',')}`;
      await recordAudit(ctx, auth, { userId: live.user._id, action: 'alert_endpoint.changed', outcome: 'ok', detail });
      answerJson(ctx, await toEndpointAnswer(alerts, changed));
    };
  },
});

/** What came before a kind was wanted is not told. */
function begun(before: AlertEndpointDocument, kinds: readonly AlertKind[], now: Date): Partial<StoredEndpoint> {
  const added = ACT_KINDS.filter((kind) => kinds.includes(kind) && !before.kinds.includes(kind));
  if (added.length === 0) return {};
  const isFirst = !ACT_KINDS.some((kind) => before.kinds.includes(kind));
  const actsSince = { ...before.actsSince, ...Object.fromEntries(added.map((kind) => [kind, now])) };
  return { actsSince, ...(isFirst && { actsUpTo: now }) };
}

/** What was followed for a kind is forgotten with it: a peak that is not followed any more is none. */
const ended = (kinds: readonly AlertKind[]): Readonly<Record<string, ''>> => ({
  ...(!kinds.includes('drawdown') && { drawdowns: '' as const }),
  ...(!kinds.includes('margin') && { margins: '' as const }),
  ...(!kinds.includes('house_rule') && { brokenRules: '' as const }),
});
