// The answers that the endpoints of alerts share: an endpoint as its user sees it, without its secret. The settings say from which margin
// ratio, drawdown and silence on it gets an alert.
import { Type } from '@sinclair/typebox';
import type { AuthParts } from '../../../api/auth/parts/authParts.ts';
import {
  Address,
  type AnswerFor,
  Count,
  exactly,
  IsoTime,
  orNull,
  PlainDecimal,
  words,
} from '../../../api/contract/answerValues.ts';
import { described, named } from '../../../api/contract/named.ts';
import { decimalText } from '../../../api/contract/requestValues.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { RequestError } from '../../../shared/errors.ts';
import { ALERT_CHANNELS, ALERT_KINDS, type AlertSettings, MARGIN_PERCENTS_MAX, SILENT_MINUTES_MAX } from '../rules/alertKinds.ts';
import type { AlertDeliveries } from '../store/alertDeliveries.ts';
import { type AlertEndpointDocument, settingsOf } from '../store/alertEndpoint.ts';
import type { AlertEndpoints } from '../store/alertEndpoints.ts';
import { URL_MAX } from '../store/webhook.ts';

const PercentText = decimalText({ to: 2, decimals: 2 }, 'a decimal string above 0 and at most 100, with two decimals at most');

const ABOUT = {
  margin_percents: 'Margin ratios, percent: maintenance margin by account value of a pool. It is liquidated at 100.',
  drawdown_percent: 'Fall of the equity from its peak, percent.',
  silent_minutes: 'A bot is silent after so long without a request of the API keys of an account.',
};

/** Of a body. */
export const SETTINGS_FIELDS = {
  margin_percents: Type.Optional(
    described(
      Type.Array(PercentText, {
        ...{ minItems: 1, maxItems: MARGIN_PERCENTS_MAX, uniqueItems: true },
        expected: `a list of ${MARGIN_PERCENTS_MAX} different percents at most`,
      }),
      ABOUT.margin_percents,
    ),
  ),
  drawdown_percent: Type.Optional(described(PercentText, ABOUT.drawdown_percent)),
  silent_minutes: Type.Optional(
    described(
      Type.Integer({ minimum: 1, maximum: SILENT_MINUTES_MAX, expected: `a whole number from 1 to ${SILENT_MINUTES_MAX}` }),
      ABOUT.silent_minutes,
    ),
  ),
};
export const SETTINGS_NAMES = Object.keys(SETTINGS_FIELDS).join(', ');

const SETTINGS_ANSWER = {
  margin_percents: described(Type.Array(PlainDecimal), ABOUT.margin_percents),
  drawdown_percent: described(PlainDecimal, ABOUT.drawdown_percent),
  silent_minutes: described(Count, ABOUT.silent_minutes),
};

function toSettingsAnswer(endpoint: Pick<AlertEndpointDocument, 'settings'>) {
  const { marginPercents, drawdownPercent, silentMinutes } = settingsOf(endpoint);
  return { margin_percents: [...marginPercents], drawdown_percent: drawdownPercent, silent_minutes: silentMinutes };
}

interface GivenSettings {
  readonly margin_percents?: readonly string[];
  readonly drawdown_percent?: string;
  readonly silent_minutes?: number;
}

/** @returns the settings with what is given, or undefined when nothing is */
export function readSettings(given: GivenSettings, before: AlertSettings): AlertSettings | undefined {
  const { margin_percents: margins, drawdown_percent: drawdown, silent_minutes: silentMinutes } = given;
  if (margins === undefined && drawdown === undefined && silentMinutes === undefined) return undefined;
  return {
    marginPercents: margins === undefined ? before.marginPercents : readPercents(margins),
    drawdownPercent: drawdown === undefined ? before.drawdownPercent : plain(drawdown),
    silentMinutes: silentMinutes ?? before.silentMinutes,
  };
}

/** Lowest first, each once. */
const readPercents = (texts: readonly string[]): readonly string[] =>
  [...new Set(texts.map(plain))].toSorted((a, b) => new Decimal(a).cmp(b));

/** `80.00` is 80. */
const plain = (text: string): string => new Decimal(text).toFixed();

/** Where endpoints and their deliveries are kept. */
export interface AlertStores {
  readonly endpoints: AlertEndpoints;
  readonly deliveries: AlertDeliveries;
  /** Real time: when deliveries are due. */
  readonly realNow: () => number;
}

export interface AlertParts extends AuthParts {
  readonly alerts: AlertStores;
}

export const AlertEndpointId = Type.String({ description: 'Id of an endpoint.', examples: ['ale_5f0c1d2e3a4b5c6d7e8f9a0b'] });
const AlertChannelName = named('AlertChannel', words(...ALERT_CHANNELS));
const AlertKindName = named('AlertKind', words(...ALERT_KINDS));

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
  exactly({ secret: described(Secret, SECRET_IS), endpoint: AlertEndpointAnswer }),
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
