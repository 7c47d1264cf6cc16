// GET /v1/alerts/endpoints: the user's endpoints, without their secrets.

import { Type } from '@sinclair/typebox';
import { requireUser } from '../auth/authParts.ts';
import { exactly } from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
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
  handle:
    ({ auth, alerts }: AlertParts) =>
    async (ctx) => {
      const { _id: userId } = await requireUser(ctx, auth);
      const endpoints = await alerts.endpoints.listOf(userId);
      answerJson(ctx, { endpoints: await Promise.all(endpoints.map((one) => toEndpointAnswer(alerts, one))) });
    },
});
