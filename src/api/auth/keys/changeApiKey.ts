// An API key changes: its name, account and limits, or the key itself.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { compareAndSet } from '../../../shared/mongo/compareAndSet.ts';
import type { ApiKeyDocument } from '../../../shared/mongo/keyStore.ts';
import { ApiKeyId, exactly } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { fitting, hasNone } from '../../contract/requestValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { AddressText, absentOr, compileReader } from '../../http/requestReader.ts';
import { bodyWithoutCode, CodeText } from '../acts/credentialsBody.ts';
import { sendNotice } from '../acts/notices.ts';
import { requireGrantable, requireLiveUser, requireSecondFactor } from '../acts/userChecks.ts';
import type { AuthParts } from '../parts/authParts.ts';
import { boundAccount, newApiKey, ShownKey } from './createApiKey.ts';
import {
  bound,
  boundAccountField,
  type KeyLimitBody,
  KeyName,
  keyLimitAnswerFields,
  keyLimitFields,
  readKeyLimits,
  refuseOperatorScopes,
  toKeyLimitAnswer,
  unknownKey,
} from './keyLimitFields.ts';

// POST /v1/auth/api-keys/{id}/change `{name?, account?, expires_at?, scopes?, addresses?, trade_limits?}`: changes what is
// given of a key's name, account and limits; null takes a limit away. It holds at once here and within a second everywhere, for
// open sockets too. With another account the key's bot goes on there, in a fork for example: what it has sent before stays
// where it is.

/** How often a key is read again that another request has changed meanwhile. */
const TRIES = 5;

const CHANGEABLE = ['name', 'account', ...Object.keys(keyLimitFields)] as const;
const readChange = compileReader(
  Type.Object(
    {
      name: Type.Optional(KeyName),
      account: described(
        absentOr(AddressText),
        'The master account or a sub-account of the user: the only one that the key reaches from now on. What was sent with it before stays ' +
          'where it is. Null: all accounts.',
      ),
      ...keyLimitFields,
      code: Type.Optional(CodeText),
    },
    { expected: 'an object', ...fitting(`must have one of ${CHANGEABLE.join(', ')}`, hasNone(...CHANGEABLE)) },
  ),
);

export const changeApiKeyEndpoint = endpoint({
  id: 'changeApiKey',
  method: 'post',
  path: '/v1/auth/api-keys/:id/change',
  tag: 'API keys',
  summary: 'Changes what is given of an API key’s name, account and limits.',
  credential: 'token',
  asks: ['secondFactor', 'grant'],
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  body: { schema: readChange.schema, examples: { readOnly: { scopes: ['read'] }, anywhere: { addresses: null } } },
  answer: {
    about: 'The key as it is now.',
    schema: named(
      'ApiKeyLimits',
      exactly({ id: ApiKeyId, name: Type.String(), account: boundAccountField, ...keyLimitAnswerFields }),
    ),
  },
  errors: {
    404: ['unknown_api_key', 'unknown_account', 'not_found'],
    405: ['method_not_allowed'],
    409: ['key_bound', 'key_unbound', 'time_passed'],
    503: ['busy'],
  },
  reachesAccount: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const change = readChange(await parts.readBody(ctx));
    await requireSecondFactor(ctx, parts, { ...live, code: change.code });
    const { id = '' } = ctx.params;
    const isMoved = Object.hasOwn(change, 'account');
    const target = await boundAccount(ctx, parts, { user, account: change.account });
    let from: string | undefined;
    const key = await replaceKey(parts, { userId: user._id, id }, (before) => {
      const limits = readKeyLimits(change, parts.now(), before);
      requireGrantable(live, limits.scopes, parts.now());
      const account = isMoved ? target : before.account;
      if (account !== undefined) refuseOperatorScopes(limits);
      else if (limits.trade !== undefined)
        throw new RequestError(409, 'key_unbound', 'A key that reaches all accounts cannot have trade_limits: make another key.');
      from = before.account;
      return {
        ...limits,
        ...bound({ account }),
        name: change.name ?? before.name,
        digest: before.digest,
        prefix: before.prefix,
      };
    });
    await recordAudit(ctx, parts, {
      userId: user._id,
      action: 'api_key.changed',
      outcome: 'ok',
      detail: isMoved ? `${detailOf(id, change)}; was ${from ?? 'all accounts'}` : detailOf(id, change),
      ...bound(key),
    });
    sendNotice(ctx, parts, { user, kind: 'api_key.changed', subject: key.name });
    answerJson(ctx, { id, name: key.name, account: key.account ?? null, ...toKeyLimitAnswer(key) });
  },
});

/**
 * Replaces a user's key and tells every node; open sockets of this one have the new key when it resolves.
 * @param toAfter what it becomes; called again when another request has changed the key meanwhile
 * @throws {RequestError} 404 when the user has no such key, and what `toAfter` throws
 */
async function replaceKey(
  { keys, credentials }: Pick<AuthParts, 'keys' | 'credentials'>,
  { userId, id }: { userId: string; id: string },
  toAfter: (before: ApiKeyDocument) => Parameters<AuthParts['keys']['replace']>[1],
): Promise<ApiKeyDocument> {
  const busy = () => new RequestError(503, 'busy', 'The key is being changed by other requests.', { 'Retry-After': '1' });
  return compareAndSet({ tries: TRIES, busy }, async () => {
    const before = await keys.findOwn(userId, id);
    if (before === null) throw unknownKey();
    const after = await keys.replace(before, toAfter(before));
    if (after !== null) await credentials.applyChange(userId, [before.digest, after.digest]);
    return after;
  });
}

/** Which fields have changed; the audit log has no values but accounts. */
const detailOf = (id: string, change: KeyLimitBody): string =>
  `${id} ${CHANGEABLE.filter((field) => Object.hasOwn(change, field)).join(',')}`;

// POST /v1/auth/api-keys/{id}/rotate: makes a key anew, shown in this answer and never again. The key before it stops at once
// here and within a second everywhere, its sockets with it. Id, name, account and limits stay, and so does what is left of the
// key's requests of the minute.

const readCode = compileReader(Type.Object({ code: Type.Optional(CodeText) }, { expected: 'an object' }));

export const rotateApiKeyEndpoint = endpoint({
  id: 'rotateApiKey',
  method: 'post',
  path: '/v1/auth/api-keys/:id/rotate',
  tag: 'API keys',
  summary: 'Makes an API key anew, shown once; the key before it stops.',
  credential: 'token',
  asks: ['secondFactor', 'grant'],
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  body: { schema: readCode.schema, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The new key.', schema: ShownKey },
  errors: {
    404: ['unknown_api_key', 'not_found'],
    405: ['method_not_allowed'],
    503: ['busy'],
  },
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const hasBody = ctx.is('*/*') !== null && ctx.request.length !== 0;
    const body = hasBody ? await parts.readBody(ctx) : {};
    await requireSecondFactor(ctx, parts, { ...live, code: readCode(body).code });
    const { id = '' } = ctx.params;
    const rotate = async () => {
      const { apiKey, digest, prefix } = newApiKey();
      const rotatedAt = new Date(parts.now());
      const key = await replaceKey(parts, { userId: user._id, id }, (before) => {
        requireGrantable(live, before.scopes, parts.now());
        return { ...before, digest, prefix, rotatedAt };
      });
      await recordAudit(ctx, parts, { userId: user._id, action: 'api_key.rotated', outcome: 'ok', detail: id, ...bound(key) });
      sendNotice(ctx, parts, { user, kind: 'api_key.created', subject: key.name });
      const message = 'Keep this key now: it is not shown again. The key before it has stopped.';
      return { api_key: apiKey, id, name: key.name, account: key.account ?? null, ...toKeyLimitAnswer(key), message };
    };
    answerJson(ctx, await parts.idempotency.run(ctx, { scope: `rotate:${user._id}:${id}`, body: bodyWithoutCode(body) }, rotate));
  },
});
