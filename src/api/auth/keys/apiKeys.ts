// The API keys of a user: the list, and the endpoint that revokes one.

import { Type } from '@sinclair/typebox';
import { ApiKeyId, exactly, IsoTime, orNull, words } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { requireUser } from '../acts/userChecks.ts';
import type { AuthParts } from '../parts/authParts.ts';
import { bound, boundAccountField, keyLimitAnswerFields, toKeyLimitAnswer, unknownKey } from './keyLimitFields.ts';

/** GET /v1/auth/api-keys: the user's active keys, without the keys themselves. */
export const listApiKeysEndpoint = endpoint({
  id: 'listApiKeys',
  method: 'get',
  path: '/v1/auth/api-keys',
  tag: 'API keys',
  summary: 'The user’s active keys, without the keys themselves.',
  credential: 'token',
  price: CHEAP,
  answer: {
    about: 'The keys.',
    schema: named(
      'ApiKeyList',
      exactly({
        api_keys: Type.Array(
          named(
            'ApiKey',
            exactly({
              id: ApiKeyId,
              name: Type.String({ examples: ['bot'] }),
              key_prefix: Type.String({ examples: ['pe_5f0c1'] }),
              status: described(
                named('ApiKeyStatus', words('active', 'expired')),
                '`expired`: its time is over. It stays in the list until a new key needs its place.',
              ),
              created_at: IsoTime,
              last_used_at: orNull(IsoTime),
              account: boundAccountField,
              has_lab: described(Type.Boolean(), 'Requests with it meet a failure lab.'),
              ...keyLimitAnswerFields,
            }),
          ),
        ),
      }),
    ),
  },
  handle: (parts: AuthParts) => async (ctx) => {
    const { keys, keyUsage, now } = parts;
    const user = await requireUser(ctx, parts);
    const active = await keys.listActive(user._id);
    const lastUses = await keyUsage.lastUses(active.map((key) => key._id));
    answerJson(ctx, {
      api_keys: active.map((key) => {
        const lastUsedMs = Math.max(lastUses.get(key._id) ?? 0, key.lastUsedAt?.getTime() ?? 0);
        return {
          id: key._id,
          name: key.name,
          key_prefix: key.prefix,
          status: key.expiresAt !== undefined && key.expiresAt.getTime() <= now() ? 'expired' : 'active',
          created_at: key.createdAt.toISOString(),
          last_used_at: lastUsedMs === 0 ? null : new Date(lastUsedMs).toISOString(),
          account: key.account ?? null,
          has_lab: key.lab !== undefined,
          ...toKeyLimitAnswer(key),
        };
      }),
    });
  },
});

/**
 * DELETE /v1/auth/api-keys/{id}: revokes one of the caller's keys. The key stops at once here and within a second everywhere.
 */
export const revokeApiKeyEndpoint = endpoint({
  id: 'revokeApiKey',
  method: 'delete',
  path: '/v1/auth/api-keys/:id',
  tag: 'API keys',
  summary: 'Revokes an API key.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  answer: { about: 'The key is good for nothing any more.', schema: exactly({ id: ApiKeyId, message: Type.String() }) },
  errors: { 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { keys, credentials, now } = parts;
    const user = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    const revoked = await keys.revoke(user._id, id, new Date(now()));
    // Announced again for a key that was revoked before: repeating a request that failed half way completes it.
    if (revoked) await credentials.applyChange(user._id, [revoked.key.digest]);
    if (!revoked?.isRevokedNow) throw unknownKey();
    const act = { userId: user._id, action: 'api_key.revoked', outcome: 'ok', detail: id } as const;
    await recordAudit(ctx, parts, { ...act, ...bound(revoked.key) });
    answerJson(ctx, { id, message: 'The API key is revoked.' });
  },
});
