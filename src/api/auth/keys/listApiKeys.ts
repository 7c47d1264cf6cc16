// GET /v1/auth/api-keys: the user's active keys, without the keys themselves.

import { Type } from '@sinclair/typebox';
import { ApiKeyId, exactly, IsoTime, orNull, words } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';
import { boundAccountField, keyLimitAnswerFields, toKeyLimitAnswer } from './keyLimitFields.ts';

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
  handle: (parts: AuthParts) => {
    const { keys, keyUsage, now } = parts;
    return async (ctx) => {
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
    };
  },
});
