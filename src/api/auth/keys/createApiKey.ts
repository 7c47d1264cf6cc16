// POST /v1/auth/api-keys `{name}`: a new key, shown in this answer and never again.
import { randomInt } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { plans } from '../../../shared/domain/plan.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { digestOf } from '../../access/credentials.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { type AnswerFor, ApiKeyId, exactly } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { compileReader } from '../../http/requestReader.ts';
import { type AuthParts, type AuthRouter, requireUser } from '../authParts.ts';
import { recordAudit } from '../recordAudit.ts';

const KEY_PREFIX = 'pe_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^32 is 190 bits. */
const RANDOM_CHARACTERS = 32;
/** Characters of the key that its owner sees in lists. */
const SHOWN_CHARACTERS = 8;

const readName = compileReader(
  Type.Object(
    { name: Type.String({ minLength: 1, maxLength: 100, expected: 'a text of 1 to 100 characters' }) },
    { expected: 'an object' },
  ),
);

const CreatedKey = exactly({
  api_key: described(Type.String(), 'For the header `X-API-Key`, or the path.'),
  id: ApiKeyId,
  name: Type.String(),
  message: Type.String(),
});

export const createApiKeyEndpoint = endpoint({
  id: 'createApiKey',
  method: 'post',
  path: '/v1/auth/api-keys',
  tag: 'Accounts',
  summary: 'Makes an API key, shown once.',
  credential: 'token',
  body: { schema: readName.schema, examples: { bot: { name: 'bot' } } },
  answer: { about: 'The key.', schema: CreatedKey },
  errors: { 409: ['api_key_limit'] },
  isIdempotent: true,
});

export function mountCreateApiKey(router: AuthRouter, parts: AuthParts): void {
  router.post(createApiKeyEndpoint.path, async (ctx) => {
    const user = await requireUser(ctx, parts);
    const body = await parts.readBody(ctx);
    const { name } = readName(body);
    const asked = { scope: `api-keys:${user._id}`, body };
    answerJson(ctx, await parts.idempotency.run(ctx, asked, (seed) => create(ctx, parts, { user, name, id: `key_${seed}` })));
  });
}

async function create(
  ctx: RouteContext,
  parts: AuthParts,
  { user, name, id }: { user: User; name: string; id: string },
): Promise<AnswerFor<typeof CreatedKey>> {
  const apiKey = newKey();
  const { apiKeysMax } = plans[user.plan];
  const isInserted = await parts.keys.insert(
    {
      _id: id,
      userId: user._id,
      name,
      digest: digestOf(apiKey),
      prefix: apiKey.slice(0, SHOWN_CHARACTERS),
      createdAt: new Date(parts.now()),
      schema: 1,
    },
    apiKeysMax,
  );
  await recordAudit(ctx, parts, {
    userId: user._id,
    action: 'api_key.created',
    outcome: isInserted ? 'ok' : 'refused',
    detail: id,
  });
  if (!isInserted) {
    throw new RequestError(409, 'api_key_limit', `The plan ${user.plan} allows ${apiKeysMax} API keys. Revoke one first.`);
  }
  return { api_key: apiKey, id, name, message: 'Keep this key now: it is not shown again.' };
}

const newKey = (): string =>
  KEY_PREFIX + Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
