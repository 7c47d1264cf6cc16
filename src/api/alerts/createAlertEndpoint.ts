// POST /v1/alerts/endpoints `{channel?, url?, kinds, account?}`: an endpoint. What is secret of it, a webhook's secret or the code for a
// chat, is shown in this answer and never again.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { SnapshotDocument } from '../../actors/core/history/historyDocuments.ts';
import { ALERT_CHANNELS, DEFAULT_SETTINGS, ENDPOINTS_MAX } from '../../features/alerts/rules/alertKinds.ts';
import { ENDPOINT_SCHEMA, type NewEndpoint } from '../../features/alerts/store/alertEndpoint.ts';
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import { RequestError } from '../../shared/errors.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import { CodeText } from '../auth/credentialsBody.ts';
import { requireVerified } from '../auth/email/requireVerified.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../auth/secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../auth/session/requireLiveUser.ts';
import { described } from '../contract/described.ts';
import { fitting, hasAll } from '../contract/requestValues.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { AddressText, absentOr, compileReader } from '../http/requestReader.ts';
import { AlertMadeAnswer, type AlertParts, KindList, toEndpointAnswer, UrlText } from './alertAnswers.ts';
import { readSettings, SETTINGS_FIELDS, SETTINGS_NAMES } from './alertSettings.ts';
import { makeTarget, readTarget } from './alertTarget.ts';

const Channel = described(
  Type.Union(
    ALERT_CHANNELS.map((channel) => Type.Literal(channel)),
    { expected: `one of ${ALERT_CHANNELS.join(', ')}` },
  ),
  '`webhook` if nothing is said. `mail`: to the verified address of the user. `telegram`: where this deployment has a bot.',
);

const readBody = compileReader(
  Type.Object(
    {
      channel: Type.Optional(Channel),
      url: Type.Optional(UrlText),
      kinds: KindList,
      account: described(absentOr(AddressText), 'Of one account only: the master account or a sub-account of the user.'),
      ...SETTINGS_FIELDS,
      code: Type.Optional(CodeText),
    },
    {
      ...{ additionalProperties: false, expected: `an object of channel, url, kinds, account, ${SETTINGS_NAMES} and code` },
      ...fitting('must have a url for a webhook, and for no other channel', {
        anyOf: [
          { not: hasAll('url'), properties: { channel: { const: 'webhook' } } },
          { required: ['url', 'channel'], properties: { url: {}, channel: { not: { const: 'webhook' } } } },
        ],
      }),
    },
  ),
);

export const createAlertEndpointEndpoint = endpoint({
  id: 'createAlertEndpoint',
  method: 'post',
  path: '/v1/alerts/endpoints',
  tag: 'Alerts',
  summary: 'Makes an endpoint: a webhook, mails or a Telegram chat. Its secret or code is shown once.',
  credential: 'token',
  price: CHEAP,
  body: {
    schema: readBody.schema,
    examples: {
      all: { url: 'https://example.com/hook', kinds: ['fill', 'order_ended', 'liquidation'] },
      danger: {
        url: 'https://example.com/hook',
        kinds: ['margin', 'drawdown'],
        margin_percents: ['50', '80'],
        drawdown_percent: '5',
      },
    },
  },
  answer: {
    about: 'The endpoint, and what is secret of it.',
    schema: AlertMadeAnswer,
  },
  errors: {
    400: ['bad_url'],
    401: SECOND_FACTOR_ERRORS,
    403: ['email_not_verified'],
    404: ['unknown_account'],
    409: ['endpoint_limit', 'channel_unavailable'],
  },
  handle: ({ auth, alerts, mongo }: AlertParts & { readonly mongo: MongoConnection }) => {
    const { endpoints, realNow } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, auth);
      const { user } = live;
      requireVerified(user, auth.config);
      const { channel, url, kinds, account: wanted, code, ...given } = readBody(await auth.readBody(ctx));
      const where = readTarget({ channel, url }, { user, config: auth.config });
      const settings = readSettings(given, DEFAULT_SETTINGS);
      const accounts = accountAddresses(user);
      const account = wanted?.toLowerCase();
      if (account !== undefined && !accounts.includes(account))
        throw new RequestError(404, 'unknown_account', 'The user has no such account.');
      await requireSecondFactor(ctx, auth, { ...live, code });
      const id = `ale_${randomBytes(12).toString('hex')}`;
      const { target, secret = null, telegram = null } = await makeTarget(where, { id, secrets: auth.secrets, realNow, mongo });
      const made: NewEndpoint = {
        ...{ _id: id, userId: user._id, kinds, createdAt: new Date(auth.now()), ...target },
        ...(account !== undefined && { account }),
        ...(settings !== undefined && { settings }),
        ...(target.channel === 'webhook' && { failingSince: new Date(realNow()) }),
        ...{ at: await reachedBy(mongo, accounts), turnAt: null, turn: 0, schema: ENDPOINT_SCHEMA },
      };
      const max = ENDPOINTS_MAX[user.plan];
      const isMade = await endpoints.insert(made, max);
      const outcome = isMade ? 'ok' : 'refused';
      await recordAudit(ctx, auth, { userId: user._id, action: 'alert_endpoint.created', outcome, detail: id });
      if (!isMade)
        throw new RequestError(409, 'endpoint_limit', `The plan ${user.plan} allows ${max} endpoints. Remove one first.`);
      answerJson(ctx, { secret, telegram, endpoint: await toEndpointAnswer(alerts, { ...made, place: '' }) });
    };
  },
});

/** Where an endpoint begins: MongoDB has all entries up to these, and they are older than the endpoint. */
async function reachedBy({ db }: MongoConnection, accounts: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const snapshots = db.collection<SnapshotDocument>(collections.accounts);
  const found = await snapshots.find({ _id: { $in: [...accounts] } }, { projection: { seq: 1 } }).toArray();
  return Object.fromEntries(found.map(({ _id, seq }) => [_id, seq]));
}
