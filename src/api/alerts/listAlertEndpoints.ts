// GET /v1/alerts/endpoints: the user's endpoints, without their secrets.

import { Type } from '@sinclair/typebox';
import { type AuthRouter, requireUser } from '../auth/authParts.ts';
import { exactly } from '../contract/answerValues.ts';
import { endpoint } from '../contract/endpoint.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answerJson.ts';
import { AlertEndpointAnswer, type AlertParts, toEndpointAnswer } from './alertAnswers.ts';

export const listAlertEndpointsEndpoint = endpoint({
  id: 'listAlertEndpoints',
  method: 'get',
  path: '/v1/alerts/endpoints',
  tag: 'Alerts',
  summary: 'The user’s endpoints, without their secrets.',
  credential: 'token',
  price: CHEAP,
  answer: {
    about: 'The endpoints, oldest first.',
    schema: named('AlertEndpointList', exactly({ endpoints: Type.Array(AlertEndpointAnswer) })),
  },
});

export function mountListAlertEndpoints(router: AuthRouter, parts: AlertParts): void {
  router.get(listAlertEndpointsEndpoint.path, async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts.auth);
    const endpoints = await parts.endpoints.listOf(userId);
    answerJson(ctx, { endpoints: await Promise.all(endpoints.map((one) => toEndpointAnswer(parts, one))) });
  });
}
