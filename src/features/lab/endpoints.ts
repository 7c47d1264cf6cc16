// The failure lab of an API key: the endpoints that show, set and end it.

import { randomBytes } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import { LabBody, LabProfileAnswer, PRESET_NAMES, PRESETS, Presets, readLab, toLabAnswer } from '../../api/accounts/labFields.ts';
import { requireLiveUser, requireUser } from '../../api/auth/acts/userChecks.ts';
import { bound, unknownKey } from '../../api/auth/keys/keyLimitFields.ts';
import type { AuthParts } from '../../api/auth/parts/authParts.ts';
import { ApiKeyId, Count, exactly, orNull } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { CHEAP } from '../../api/domain/requestPrice.ts';
import { answerJson } from '../../api/http/answers.ts';
import { recordAudit } from '../../api/http/audited.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { compileReader } from '../../api/http/requestReader.ts';
import type { LabProfile } from '../../shared/domain/labProfile.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import { labDrawsKey } from '../../shared/redis/keys.ts';

/** GET /v1/auth/api-keys/{id}/lab: the failure lab of a key, how far its draws have come, and the presets that there are. */
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
  handle: (parts: AuthParts) => async (ctx) => {
    const { keys, redis } = parts;
    const user = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    const key = await keys.findOwn(user._id, id);
    if (key === null) throw unknownKey();
    const { lab } = key;
    const [exchange = null, info = null] = lab === undefined ? [] : await redis.hmget(labDrawsKey(lab.run), 'exchange', 'info');
    const draws = { exchange: Number(exchange), info: Number(info) };
    answerJson(ctx, { id, profile: lab === undefined ? null : toLabAnswer(lab), draws, presets });
  },
});

const presets = PRESET_NAMES.map((name) => ({ name, ...PRESETS[name] }));

const RUN_BYTES = 12;

const read = compileReader(LabBody);

/**
 * PUT /v1/auth/api-keys/{id}/lab: gives a key a failure lab, or another one. Its draws begin with the first again. It holds at once here
 * and within a second everywhere.
 */
export const setLabEndpoint = endpoint({
  id: 'setLab',
  method: 'put',
  path: '/v1/auth/api-keys/:id/lab',
  tag: 'API keys',
  summary: 'Gives an API key a failure lab: latency, faults and scripted outcomes for all that comes with the key.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  body: {
    schema: read.schema,
    examples: {
      preset: { preset: 'jitter', seed: 7 },
      own: {
        seed: 7,
        latency: { submit: 250, cancel: { medianMs: 120, sigma: 0.5 } },
        faults: { '429': 0.05, timeoutAfterEffect: 0.02, partialFill: 0.3 },
        scripts: [{ cloidPrefix: '0xdead', refuse: 'insufficientMargin' }],
      },
    },
  },
  answer: { about: 'The profile as it is now.', schema: named('SetLab', exactly({ id: ApiKeyId, profile: LabProfileAnswer })) },
  errors: { 400: ['contradiction'], 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user } = await requireLiveUser(ctx, parts);
    const { preset, ...own } = read(await parts.readBody(ctx));
    const settings = preset === undefined ? own : { ...PRESETS[preset].profile, ...own };
    const profile = readLab(settings, randomBytes(RUN_BYTES).toString('hex'));
    const id = await changeLab(ctx, parts, user, profile);
    answerJson(ctx, { id, profile: toLabAnswer(profile) });
  },
});

/**
 * DELETE /v1/auth/api-keys/{id}/lab: takes the failure lab of a key away. What waits for its latency is decided at its time.
 */
export const endLabEndpoint = endpoint({
  id: 'endLab',
  method: 'delete',
  path: '/v1/auth/api-keys/:id/lab',
  tag: 'API keys',
  summary: 'Takes the failure lab of an API key away.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: ApiKeyId }),
  answer: { about: 'The key has none.', schema: exactly({ id: ApiKeyId, profile: Type.Null() }) },
  errors: { 404: ['unknown_api_key', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user } = await requireLiveUser(ctx, parts);
    answerJson(ctx, { id: await changeLab(ctx, parts, user, undefined), profile: null });
  },
});

/** Gives the key of the path this lab, or none. @returns the id of the key @throws {RequestError} 404 when the user has no such key */
async function changeLab(
  ctx: RouteContext,
  parts: AuthParts,
  { _id: userId }: Pick<User, '_id'>,
  lab: LabProfile | undefined,
): Promise<string> {
  const { id = '' } = ctx.params;
  const key = await parts.keys.setLab(userId, id, lab);
  if (key === null) throw unknownKey();
  await parts.credentials.applyChange(userId, [key.digest]);
  await recordAudit(ctx, parts, { userId, action: 'api_key.changed', outcome: 'ok', detail: `${id} lab`, ...bound(key) });
  return id;
}
