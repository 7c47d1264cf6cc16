// POST /v1/alerts/endpoints `{url, kinds, account?}`: a webhook endpoint. Its secret is shown in this answer and never again.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { SnapshotDocument } from '../../actors/domain/history/historyDocuments.ts';
import { accountAddresses } from '../../shared/access/subAccountAddress.ts';
import type { AlertEndpointDocument } from '../../shared/alerts/alertEndpoints.ts';
import { webhookSecret } from '../../shared/alerts/webhookSecret.ts';
import { ENDPOINTS_MAX } from '../../shared/domain/alerts/alertKinds.ts';
import { DEFAULT_SETTINGS } from '../../shared/domain/alerts/alertSettings.ts';
import { RequestError } from '../../shared/errors.ts';
import { collections, type MongoConnection } from '../../shared/mongo/mongo.ts';
import type { AuthRouter } from '../auth/authParts.ts';
import { CodeText } from '../auth/credentialsBody.ts';
import { requireVerified } from '../auth/email/requireVerified.ts';
import { recordAudit } from '../auth/recordAudit.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from '../auth/secondFactor/requireSecondFactor.ts';
import { requireLiveUser } from '../auth/session/requireLiveUser.ts';
import { described } from '../contract/described.ts';
import { endpoint } from '../contract/endpoint.ts';
import { answerJson } from '../http/answerJson.ts';
import { AddressText, absentOr, compileReader, unreadable } from '../http/requestReader.ts';
import { type AlertParts, AlertSecretAnswer, KindList, toEndpointAnswer, UrlText } from './alertAnswers.ts';
import { readSettings, SETTINGS_FIELDS, SETTINGS_NAMES } from './alertSettings.ts';
import { requireUrl } from './requireUrl.ts';

const readBody = compileReader(
  Type.Object(
    {
      url: UrlText,
      kinds: KindList,
      account: described(absentOr(AddressText), 'Of one account only: the master account or a sub-account of the user.'),
      ...SETTINGS_FIELDS,
      code: Type.Optional(CodeText),
    },
    { additionalProperties: false, expected: `an object of url, kinds, account, ${SETTINGS_NAMES} and code` },
  ),
);

export const createAlertEndpointEndpoint = endpoint({
  id: 'createAlertEndpoint',
  method: 'post',
  path: '/v1/alerts/endpoints',
  tag: 'Alerts',
  summary: 'Makes a webhook endpoint. Its secret is shown once.',
  credential: 'token',
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
    about: 'The endpoint and its secret.',
    schema: AlertSecretAnswer,
  },
  errors: {
    400: ['bad_url'],
    401: SECOND_FACTOR_ERRORS,
    403: ['email_not_verified'],
    404: ['unknown_account'],
    409: ['endpoint_limit'],
  },
});

export function mountCreateAlertEndpoint(router: AuthRouter, parts: AlertParts & { readonly mongo: MongoConnection }): void {
  const { auth, endpoints, mongo } = parts;
  router.post(createAlertEndpointEndpoint.path, async (ctx) => {
    const live = await requireLiveUser(ctx, auth);
    const { user } = live;
    requireVerified(user, auth.config);
    const { url, kinds, account: wanted, code, ...given } = readBody(await auth.readBody(ctx));
    requireUrl(url, auth.config);
    const settings = readSettings(given, DEFAULT_SETTINGS);
    const accounts = accountAddresses(user);
    const account = wanted?.toLowerCase();
    if (account !== undefined && !accounts.includes(account))
      throw new RequestError(404, 'unknown_account', 'The user has no such account.');
    if (kinds.length === 0) throw unreadable('kinds must not be empty');
    await requireSecondFactor(ctx, auth, { ...live, code });
    const id = `ale_${randomBytes(12).toString('hex')}`;
    const { secret, note } = await webhookSecret(auth.secrets, id, 1);
    const made: Omit<AlertEndpointDocument, 'place'> = {
      ...{ _id: id, userId: user._id, url, kinds, state: 'active', createdAt: new Date(auth.now()) },
      ...(account !== undefined && { account }),
      ...(settings !== undefined && { settings }),
      ...{ secret: note, at: await reachedBy(mongo, accounts), turnAt: null, turn: 0, schema: 1 },
    };
    const max = ENDPOINTS_MAX[user.plan];
    const isMade = await endpoints.insert(made, max);
    const outcome = isMade ? 'ok' : 'refused';
    await recordAudit(ctx, auth, { userId: user._id, action: 'alert_endpoint.created', outcome, detail: id });
    if (!isMade)
      throw new RequestError(409, 'endpoint_limit', `The plan ${user.plan} allows ${max} endpoints. Remove one first.`);
    answerJson(ctx, { secret, endpoint: await toEndpointAnswer(parts, { ...made, place: '' }) });
  });
}

/** Where an endpoint begins: MongoDB has all entries up to these, and they are older than the endpoint. */
async function reachedBy({ db }: MongoConnection, accounts: readonly string[]): Promise<Readonly<Record<string, number>>> {
  const snapshots = db.collection<SnapshotDocument>(collections.accounts);
  const found = await snapshots.find({ _id: { $in: [...accounts] } }, { projection: { seq: 1 } }).toArray();
  return Object.fromEntries(found.map(({ _id, seq }) => [_id, seq]));
}
