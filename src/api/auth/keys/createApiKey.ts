// Makes API keys: the key itself, the account that it is bound to, and the endpoint.

import { randomInt } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { plans } from '../../../shared/domain/plan.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { ApiKeyDocument, KeyLimits } from '../../../shared/mongo/keyStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { digestOf } from '../../access/credentials.ts';
import { ownerRecord } from '../../access/keyRecord.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { type AnswerFor, ApiKeyId, exactly } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { audited, RefusedAct } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { AddressText, absentOr, compileReader } from '../../http/requestReader.ts';
import { bodyWithoutCode, CodeText } from '../acts/credentialsBody.ts';
import { sendNotice } from '../acts/notices.ts';
import { requireGrantable, requireLiveUser, requireSecondFactor, requireVerified } from '../acts/userChecks.ts';
import type { AuthParts } from '../parts/authParts.ts';
import {
  bound,
  boundAccountField,
  KeyName,
  keyLimitAnswerFields,
  keyLimitFields,
  readKeyLimits,
  refuseOperatorScopes,
  toKeyLimitAnswer,
} from './keyLimitFields.ts';

// Makes API keys: the text that its owner sees once, and what is kept of it.

const KEY_PREFIX = 'pe_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^32 is 190 bits. */
const RANDOM_CHARACTERS = 32;
/** Characters of the key that its owner sees in lists. */
const SHOWN_CHARACTERS = 8;

/** `prefix`: the key's first characters; `digest`: its SHA-256, hex. */
export function newApiKey(): { apiKey: string; prefix: string; digest: string } {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const apiKey = KEY_PREFIX + random.join('');
  return { apiKey, prefix: apiKey.slice(0, SHOWN_CHARACTERS), digest: digestOf(apiKey) };
}

// Which account a key is to be bound to, as a request names it: one of the user's own, and one that exists.

/**
 * The account that the key is to be bound to, in lower case; undefined for none.
 * @throws {RequestError} 404 for an account that the user does not have, and as the gateway does
 */
export async function boundAccount(
  ctx: RouteContext,
  { ownAccounts }: AuthParts,
  { user, account }: { user: User; account: string | null | undefined },
): Promise<string | undefined> {
  if (account == null) return undefined;
  const { requestId, trace, receivedAtMs } = ctx.state.request;
  const { caller } = ownerRecord(user, '');
  const named = await ownAccounts.named({ caller, requestId, trace, receivedAtMs }, account);
  if (named === undefined) throw new RequestError(404, 'unknown_account', 'The user has no such account.');
  return named.accountId;
}

// POST /v1/auth/api-keys `{name, account?, expires_at?, scopes?, addresses?, trade_limits?}`: a new key, shown in this answer
// and never again. With `account` it reaches that one account, until its owner binds it to another (changeApiKey.ts).

const readKey = compileReader(
  Type.Object(
    {
      name: KeyName,
      account: described(
        absentOr(AddressText),
        'The master account or a sub-account of the user: the only one that the key reaches. With `trade_limits` and without it: the master account.',
      ),
      ...keyLimitFields,
      code: Type.Optional(CodeText),
    },
    { expected: 'an object' },
  ),
);

/** The answer that shows a key. */
export const ShownKey = named(
  'NewApiKey',
  exactly({
    api_key: described(Type.String(), 'For the header `X-API-Key`, or the path.'),
    id: ApiKeyId,
    name: Type.String(),
    account: boundAccountField,
    ...keyLimitAnswerFields,
    message: Type.String(),
  }),
);

export const createApiKeyEndpoint = endpoint({
  id: 'createApiKey',
  method: 'post',
  path: '/v1/auth/api-keys',
  tag: 'API keys',
  summary: 'Makes an API key, shown once.',
  credential: 'token',
  asks: ['verified', 'grant', 'secondFactor'],
  price: CHEAP,
  body: {
    schema: readKey.schema,
    examples: {
      bot: { name: 'bot' },
      watcher: {
        name: 'watcher',
        scopes: ['read'],
        expires_at: '2099-01-31T12:00:00Z',
        addresses: ['192.0.2.7', '2001:db8::/32'],
      },
      agent: { name: 'agent', trade_limits: { order_usd: '1000', leverage: 5, daily_loss_usd: '200', orders_per_minute: 30 } },
    },
  },
  answer: { about: 'The key.', schema: ShownKey },
  errors: {
    404: ['unknown_account'],
    409: ['api_key_limit', 'api_key_revoked', 'key_bound', 'request_in_progress', 'time_passed'],
  },
  isIdempotent: true,
  reachesAccount: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    requireVerified(user, parts.config);
    const body = await parts.readBody(ctx);
    const wanted = readKey(body);
    const limits = readKeyLimits(wanted, parts.now());
    requireGrantable(live, limits.scopes, parts.now());
    await requireSecondFactor(ctx, parts, { ...live, code: wanted.code });
    const asksFor = wanted.account ?? (limits.trade && user.address);
    if (asksFor != null) refuseOperatorScopes(limits);
    const account = await boundAccount(ctx, parts, { user, account: asksFor });
    const asked = { scope: `api-keys:${user._id}`, body: bodyWithoutCode(body) };
    const make = (seed: string) => create(ctx, parts, { user, name: wanted.name, account, limits, id: `key_${seed}` });
    answerJson(ctx, await parts.idempotency.run(ctx, asked, make));
  },
});

async function create(
  ctx: RouteContext,
  parts: AuthParts,
  { user, name, account, limits, id }: { user: User; name: string; account: string | undefined; limits: KeyLimits; id: string },
): Promise<AnswerFor<typeof ShownKey>> {
  const { apiKey, digest, prefix } = newApiKey();
  const key = {
    _id: id,
    userId: user._id,
    name,
    digest,
    prefix,
    createdAt: new Date(parts.now()),
    ...(user.keyEpoch !== undefined && { epoch: user.keyEpoch }),
    ...(account !== undefined && { account }),
    ...limits,
    schema: 1,
  } as const;
  const row = { userId: user._id, action: 'api_key.created', detail: id, ...bound({ account }) } as const;
  const { replaced } = await audited(ctx, parts, row, () => insert(parts, key, user));
  // The text that an earlier attempt of this request made, which may have been told, is good for nothing any more.
  if (replaced !== undefined) await parts.credentials.announceChange(user._id, [replaced]);
  await revokeUnlessLive(ctx, parts, key);
  sendNotice(ctx, parts, { user, kind: 'api_key.created', subject: name });
  return {
    api_key: apiKey,
    id,
    name,
    account: account ?? null,
    ...toKeyLimitAnswer(limits),
    message: 'Keep this key now: it is not shown again.',
  };
}

/** @throws {RefusedAct} 409 when the plan allows no further key, or the key of this request has been revoked */
async function insert({ keys }: AuthParts, key: ApiKeyDocument, { plan }: User): Promise<{ readonly replaced?: string }> {
  const { apiKeysMax } = plans[plan];
  const inserted = await keys.insert(key, apiKeysMax);
  if (inserted === 'full')
    throw new RefusedAct(409, 'api_key_limit', `The plan ${plan} allows ${apiKeysMax} API keys. Revoke one first.`);
  if (inserted !== 'revoked') return inserted;
  const text = 'The key that this Idempotency-Key made has been revoked. Make another one under another Idempotency-Key.';
  throw new RefusedAct(409, 'api_key_revoked', text);
}

/**
 * A reset may have revoked all keys while this one was made: it must not outlive the session that made it.
 * @throws {RequestError} 401 when that session has ended
 */
async function revokeUnlessLive(ctx: RouteContext, parts: AuthParts, key: { _id: string; userId: string }): Promise<void> {
  try {
    await requireLiveUser(ctx, parts);
  } catch (error) {
    await parts.keys.revoke(key.userId, key._id, new Date(parts.now()));
    throw error;
  }
}
