// GET /v1/auth/api-keys/{id}/lab: the failure lab of a key, how far its draws have come, and the presets that there are.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../../shared/errors.ts';
import { labDrawsKey } from '../../../../shared/redis/keys.ts';
import { ApiKeyId, Count, exactly, orNull } from '../../../contract/answerValues.ts';
import { described } from '../../../contract/described.ts';
import { named } from '../../../contract/named.ts';
import { CHEAP } from '../../../domain/requestPrice.ts';
import { answerJson } from '../../../http/answers.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../../authParts.ts';
import { LabProfileAnswer, PRESET_NAMES, Presets, toLabAnswer } from './labFields.ts';
import { PRESETS } from './labPresets.ts';

export const showLabEndpoint = endpoint({
  id: 'showLab',
  method: 'get',
  path: '/v1/auth/api-keys/:id/lab',
  tag: 'API keys',
  summary: 'The failure lab of an API key, and the presets that there are.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  answer: {
    about: 'The profile, or null: it is off.',
    schema: named(
      'ShownLab',
      exactly({
        id: ApiKeyId,
        profile: orNull(LabProfileAnswer),
        draws: described(
          named('LabDraws', exactly({ exchange: Count, info: Count })),
          'How many requests it has drawn for since it was set.',
        ),
        presets: Presets,
      }),
    ),
  },
  errors: { 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => {
    const { keys, redis } = parts;
    return async (ctx) => {
      const user = await requireUser(ctx, parts);
      const { id = '' } = ctx.params;
      const key = await keys.findOwn(user._id, id);
      if (key === null) throw new RequestError(404, 'unknown_api_key', 'There is no such API key.');
      const { lab } = key;
      const [exchange = null, info = null] = lab === undefined ? [] : await redis.hmget(labDrawsKey(lab.run), 'exchange', 'info');
      const draws = { exchange: Number(exchange), info: Number(info) };
      answerJson(ctx, { id, profile: lab === undefined ? null : toLabAnswer(lab), draws, presets });
    };
  },
});

const presets = PRESET_NAMES.map((name) => ({ name, ...PRESETS[name] }));
