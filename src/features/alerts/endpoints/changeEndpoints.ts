// A user makes an alert endpoint (POST /v1/alerts/endpoints) and changes it (POST .../{id}/change). The answer to the first shows the secret
// of a webhook, or the code for a chat, and no later answer does. After a change, waiting messages go to the new address; a paused endpoint
// keeps its place in the history, and goes on from there.
import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { SnapshotDocument } from '../../../actors/core/history/historyDocuments.ts';
import { CodeText } from '../../../api/auth/acts/credentialsBody.ts';
import { requireLiveUser, requireSecondFactor, requireVerified } from '../../../api/auth/acts/userChecks.ts';
import { described } from '../../../api/contract/named.ts';
import { fitting, hasAll, hasNone } from '../../../api/contract/requestValues.ts';
import { CHEAP } from '../../../api/domain/requestPrice.ts';
import { answerJson } from '../../../api/http/answers.ts';
import { recordAudit } from '../../../api/http/audited.ts';
import { endpoint } from '../../../api/http/endpoint.ts';
import { AddressText, absentOr, compileReader } from '../../../api/http/requestReader.ts';
import { accountAddresses } from '../../../shared/access/subAccountAddress.ts';
import { RequestError } from '../../../shared/errors.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import { ALERT_CHANNELS, type AlertKind, DEFAULT_SETTINGS, ENDPOINTS_MAX } from '../rules/alertKinds.ts';
import {
  ACT_KINDS,
  type AlertEndpointDocument,
  ENDPOINT_SCHEMA,
  type NewEndpoint,
  type StoredEndpoint,
  settingsOf,
} from '../store/alertEndpoint.ts';
import {
  AlertEndpointAnswer,
  AlertEndpointId,
  AlertMadeAnswer,
  type AlertParts,
  KindList,
  readSettings,
  requireProven,
  SETTINGS_FIELDS,
  SETTINGS_NAMES,
  toEndpointAnswer,
  UrlText,
  unknownEndpoint,
} from './alertAnswers.ts';
import { makeTarget, readTarget, requireUrl } from './alertTarget.ts';

const Channel = described(
  Type.Union(
    ALERT_CHANNELS.map((channel) => Type.Literal(channel)),
    { expected: `one of ${ALERT_CHANNELS.join(', ')}` },
  ),
  '`webhook` if nothing is said. `mail`: to the verified address of the user. `telegram`: where this deployment has a bot.',
);

const readNew = compileReader(
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
  asks: ['verified', 'secondFactor'],
  price: CHEAP,
  body: {
    schema: readNew.schema,
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
    404: ['unknown_account'],
    409: ['endpoint_limit', 'channel_unavailable'],
  },
  handle: (parts: AlertParts & { readonly mongo: MongoConnection }) => {
    const { alerts, mongo } = parts;
    const { endpoints, realNow } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, parts);
      const { user } = live;
      requireVerified(user, parts.config);
      const { channel, url, kinds, account: wanted, code, ...given } = readNew(await parts.readBody(ctx));
      const where = readTarget({ channel, url }, { user, config: parts.config });
      const settings = readSettings(given, DEFAULT_SETTINGS);
      const accounts = accountAddresses(user);
      const account = wanted?.toLowerCase();
      if (account !== undefined && !accounts.includes(account))
        throw new RequestError(404, 'unknown_account', 'The user has no such account.');
      await requireSecondFactor(ctx, parts, { ...live, code });
      const id = `ale_${randomBytes(12).toString('hex')}`;
      const { target, secret = null, telegram = null } = await makeTarget(where, { id, secrets: parts.secrets, realNow, mongo });
      const made: NewEndpoint = {
        ...{ _id: id, userId: user._id, kinds, createdAt: new Date(parts.now()), ...target },
        ...(account !== undefined && { account }),
        ...(settings !== undefined && { settings }),
        ...(target.channel === 'webhook' && { failingSince: new Date(realNow()) }),
        ...{ at: await reachedBy(mongo, accounts), turnAt: null, turn: 0, schema: ENDPOINT_SCHEMA },
      };
      const max = ENDPOINTS_MAX[user.plan];
      const isMade = await endpoints.insert(made, max);
      const outcome = isMade ? 'ok' : 'refused';
      await recordAudit(ctx, parts, { userId: user._id, action: 'alert_endpoint.created', outcome, detail: id });
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

const CHANGEABLE = ['url', 'kinds', 'active', ...Object.keys(SETTINGS_FIELDS)] as const;

const readChange = compileReader(
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
  asks: ['secondFactor'],
  price: CHEAP,
  params: Type.Object({ id: AlertEndpointId }),
  body: {
    schema: readChange.schema,
    examples: { pause: { active: false }, fills: { kinds: ['fill'] }, quieter: { drawdown_percent: '20' } },
  },
  answer: { about: 'The endpoint as it is now.', schema: AlertEndpointAnswer },
  errors: {
    400: ['bad_url'],
    404: ['unknown_endpoint', 'not_found'],
    405: ['method_not_allowed'],
    409: ['endpoint_unproven', 'no_url'],
  },
  handle: (parts: AlertParts) => {
    const { alerts } = parts;
    const { endpoints } = alerts;
    return async (ctx) => {
      const live = await requireLiveUser(ctx, parts);
      const { id = '' } = ctx.params;
      const { url, kinds, active, code, ...settings } = readChange(await parts.readBody(ctx));
      const given = Object.entries({ url, kinds, active, ...settings }).flatMap(([field, value]) =>
        value === undefined ? [] : [field],
      );
      if (url !== undefined) requireUrl(url, parts.config);
      await requireSecondFactor(ctx, parts, { ...live, code });
      const before = await endpoints.findOwn(live.user._id, id);
      if (before === null) throw unknownEndpoint();
      if (url !== undefined && before.channel !== 'webhook')
        throw new RequestError(409, 'no_url', `url must be left out: the channel is ${before.channel}.`);
      if (active !== undefined) requireProven(before);
      const wanted = readSettings(settings, settingsOf(before));
      const set = {
        ...(url !== undefined && { url }),
        ...(kinds !== undefined && { kinds, ...begun(before, kinds, new Date(parts.now())) }),
        ...(wanted !== undefined && { settings: wanted }),
        ...(active === true && { state: 'active' as const }),
        ...(active === false && { state: 'paused' as const, pausedWhy: 'user' as const }),
      };
      const unset = { ...(active === true && { pausedWhy: '' as const }), ...(kinds !== undefined && ended(kinds)) };
      const changed = await endpoints.change(live.user._id, id, { set, ...(Object.keys(unset).length > 0 && { unset }) });
      if (changed === null) throw unknownEndpoint();
      const detail = `${id} ${given.join(',')}`;
      await recordAudit(ctx, parts, { userId: live.user._id, action: 'alert_endpoint.changed', outcome: 'ok', detail });
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
