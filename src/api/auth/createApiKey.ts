// POST /v1/auth/api-keys `{name}`: a new key, shown in this answer and never again.
import { randomBytes, randomInt } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import { plans } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import { digestOf } from '../credentials.ts';
import { answerJson } from '../jsonAnswer.ts';
import { compileReader } from '../requestReader.ts';
import { type AuthParts, type AuthRouter, requireUser } from './authParts.ts';

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

export function mountCreateApiKey(router: AuthRouter, parts: AuthParts): void {
  router.post('/v1/auth/api-keys', async (ctx) => {
    const user = await requireUser(ctx, parts);
    const { name } = readName(await parts.readBody(ctx));
    const apiKey = newKey();
    const id = `key_${randomBytes(12).toString('hex')}`;
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
    if (!isInserted) {
      throw new RequestError(409, 'api_key_limit', `The plan ${user.plan} allows ${apiKeysMax} API keys. Revoke one first.`);
    }
    answerJson(ctx, { api_key: apiKey, id, name, message: 'Keep this key now: it is not shown again.' });
  });
}

const newKey = (): string =>
  KEY_PREFIX + Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
