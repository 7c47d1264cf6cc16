// What the endpoints of alerts read and answer in common: an endpoint as its user sees it, without its secret.
import { Type } from '@sinclair/typebox';
import type { AuthParts } from '../../../api/auth/parts/authParts.ts';
import { Address, type AnswerFor, Count, exactly, IsoTime, orNull, words } from '../../../api/contract/answerValues.ts';
import { described, named } from '../../../api/contract/named.ts';
import { RequestError } from '../../../shared/errors.ts';
import { ALERT_CHANNELS, ALERT_KINDS } from '../rules/alertKinds.ts';
import type { AlertDeliveries } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import type { AlertEndpoints } from '../store/alertEndpoints.ts';
import { URL_MAX } from '../store/webhook.ts';
import { SETTINGS_ANSWER, toSettingsAnswer } from './alertSettings.ts';

/** Where endpoints and their deliveries are kept. */
export interface AlertStores {
  readonly endpoints: AlertEndpoints;
  readonly deliveries: AlertDeliveries;
  /** Real time: when deliveries are due. */
  readonly realNow: () => number;
}

export interface AlertParts {
  readonly auth: AuthParts;
  readonly alerts: AlertStores;
}

export const AlertEndpointId = Type.String({ description: 'Id of an endpoint.', examples: ['ale_5f0c1d2e3a4b5c6d7e8f9a0b'] });
export const AlertChannelName = named('AlertChannel', words(...ALERT_CHANNELS));
export const AlertKindName = named('AlertKind', words(...ALERT_KINDS));

/** Of a body. */
export const UrlText = described(
  Type.String({
    pattern: '^https?://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:\\d{1,5})?([/?][!-"$-~]*)?$',
    maxLength: URL_MAX,
    expected: `an address such as https://example.com/hook, of ${URL_MAX} characters at most, without user name and fragment`,
  }),
  'Of a webhook: where messages are sent; https, at port 443.',
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
    channel: AlertChannelName,
    url: described(orNull(Type.String({ examples: ['https://example.com/hook'] })), 'Of a webhook.'),
    chat: described(
      orNull(Type.String({ examples: ['@satoshi'] })),
      'Of Telegram: the name of the chat, or of its user, that has sent the code; null before that.',
    ),
    kinds: Type.Array(AlertKindName),
    account: described(orNull(Address), 'The one account that it is about; null = all of the user, also later ones.'),
    ...SETTINGS_ANSWER,
    status: described(
      named('AlertEndpointStatus', words('unproven', 'active', 'paused')),
      '`unproven`: no chat has sent the code yet.',
    ),
    paused_by: described(
      orNull(named('AlertPause', words('user', 'failing'))),
      '`failing`: nothing has arrived there for a day, and ten tries were in vain.',
    ),
    created_at: IsoTime,
    last_success_at: orNull(IsoTime),
    old_secret_until: described(orNull(IsoTime), 'Of a webhook: until then messages are signed by the secret before as well.'),
    waiting: described(Count, 'Deliveries that wait for a try.'),
    dead: described(Count, 'Dead letters: deliveries whose ten tries have failed.'),
  }),
);

const Secret = Type.String({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] });
const SECRET_IS = 'Signs the messages, as https://www.standardwebhooks.com says. It is shown this once.';

export const AlertSecretAnswer = named(
  'AlertEndpointWithSecret',
  exactly({
    secret: described(Secret, SECRET_IS),
    endpoint: AlertEndpointAnswer,
  }),
);

export const AlertMadeAnswer = named(
  'AlertEndpointMade',
  exactly({
    secret: described(orNull(Secret), `Of a webhook. ${SECRET_IS}`),
    telegram: described(
      orNull(
        named(
          'TelegramStart',
          exactly({
            code: described(Type.String(), 'Send `/start CODE` to the bot. It is shown this once.'),
            bot: described(orNull(Type.String()), 'Name of the bot; null while this deployment has not learned it.'),
            link: described(orNull(Type.String()), 'Opens Telegram, and sends the code when its user presses Start.'),
            until: IsoTime,
          }),
        ),
      ),
      'Of Telegram: how its user proves that a chat is theirs. Without it the endpoint is removed when the time is over.',
    ),
    endpoint: AlertEndpointAnswer,
  }),
);

export async function toEndpointAnswer(
  { deliveries, realNow }: Pick<AlertStores, 'deliveries' | 'realNow'>,
  endpoint: AlertEndpointDocument,
): Promise<AnswerFor<typeof AlertEndpointAnswer>> {
  const { _id, channel, kinds, account, state, pausedWhy, createdAt, lastSuccessAt } = endpoint;
  const secretBefore = channel === 'webhook' ? endpoint.secretBefore : undefined;
  const [waiting, dead] = await Promise.all([deliveries.count(_id, 'waiting'), deliveries.count(_id, 'dead')]);
  const isBefore = secretBefore !== undefined && secretBefore.until.getTime() > realNow();
  return {
    id: _id,
    channel,
    url: channel === 'webhook' ? endpoint.url : null,
    chat: channel === 'telegram' ? (endpoint.chat?.name ?? null) : null,
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

/** @throws {RequestError} 409 when no chat has proven to be the user's yet */
export function requireProven({ state }: AlertEndpointDocument): void {
  if (state === 'unproven')
    throw new RequestError(409, 'endpoint_unproven', 'No chat is bound yet: send /start and the code to the bot first.');
}
