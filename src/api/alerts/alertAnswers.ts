// What the endpoints of alerts read and answer in common: an endpoint as its user sees it, without its secret.
import { Type } from '@sinclair/typebox';
import type { AlertDeliveries } from '../../shared/alerts/alertDeliveries.ts';
import type { AlertEndpointDocument, AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import { URL_MAX } from '../../shared/alerts/webhookUrl.ts';
import { ALERT_KINDS } from '../../shared/domain/alerts/alertKinds.ts';
import { RequestError } from '../../shared/errors.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { Address, type AnswerFor, Count, exactly, IsoTime, orNull, words } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';
import { SETTINGS_ANSWER, toSettingsAnswer } from './alertSettings.ts';

export interface AlertParts {
  readonly auth: AuthParts;
  readonly endpoints: AlertEndpoints;
  readonly deliveries: AlertDeliveries;
  readonly realNow: () => number;
}

export const AlertEndpointId = Type.String({ description: 'Id of an endpoint.', examples: ['ale_5f0c1d2e3a4b5c6d7e8f9a0b'] });
export const AlertKindName = named('AlertKind', words(...ALERT_KINDS));

/** Of a body. */
export const UrlText = described(
  Type.String({ minLength: 1, maxLength: URL_MAX, expected: `an address of ${URL_MAX} characters at most` }),
  'Where messages are sent: https, at port 443.',
);
export const KindList = described(
  Type.Array(Type.Union(ALERT_KINDS.map((kind) => Type.Literal(kind))), {
    minItems: 1,
    maxItems: ALERT_KINDS.length,
    uniqueItems: true,
    expected: `a list of ${ALERT_KINDS.join(', ')}, each at most once`,
  }),
  'What it is told of.',
);

export const AlertEndpointAnswer = named(
  'AlertEndpoint',
  exactly({
    id: AlertEndpointId,
    url: Type.String({ examples: ['https://example.com/hook'] }),
    kinds: Type.Array(AlertKindName),
    account: described(orNull(Address), 'The one account that it is about; null = all of the user, also later ones.'),
    ...SETTINGS_ANSWER,
    status: named('AlertEndpointStatus', words('active', 'paused')),
    paused_by: described(
      orNull(named('AlertPause', words('user', 'failing'))),
      '`failing`: nothing has arrived there for a day, and ten tries were in vain.',
    ),
    created_at: IsoTime,
    last_success_at: orNull(IsoTime),
    old_secret_until: described(orNull(IsoTime), 'Until then messages are signed by the secret before as well.'),
    waiting: described(Count, 'Deliveries that wait for a try.'),
    dead: described(Count, 'Dead letters: deliveries whose ten tries have failed.'),
  }),
);

/** Of the two requests that show a secret: each shows it once. */
export const AlertSecretAnswer = named(
  'AlertEndpointWithSecret',
  exactly({
    secret: described(
      Type.String({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }),
      'Signs the messages, as https://www.standardwebhooks.com says.',
    ),
    endpoint: AlertEndpointAnswer,
  }),
);

export async function toEndpointAnswer(
  { deliveries, realNow }: Pick<AlertParts, 'deliveries' | 'realNow'>,
  endpoint: AlertEndpointDocument,
): Promise<AnswerFor<typeof AlertEndpointAnswer>> {
  const { _id, url, kinds, account, state, pausedWhy, createdAt, lastSuccessAt, secretBefore } = endpoint;
  const [waiting, dead] = await Promise.all([deliveries.count(_id, 'waiting'), deliveries.count(_id, 'dead')]);
  const isBefore = secretBefore !== undefined && secretBefore.until.getTime() > realNow();
  return {
    id: _id,
    url,
    kinds,
    account: account ?? null,
    ...toSettingsAnswer(endpoint),
    status: state,
    paused_by: state === 'paused' ? (pausedWhy ?? 'user') : null,
    created_at: createdAt.toISOString(),
    last_success_at: lastSuccessAt?.toISOString() ?? null,
    old_secret_until: isBefore ? secretBefore.until.toISOString() : null,
    waiting,
    dead,
  };
}

export const unknownEndpoint = (): RequestError => new RequestError(404, 'unknown_endpoint', 'There is no such endpoint.');
