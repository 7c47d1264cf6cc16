// Answers that Redis remembers: the seal of an answer, and the count of the bytes of all answers.
//
// How the answer to a request with an Idempotency-Key is remembered: compressed and sealed (AES-256-GCM), under a name that
// tells nothing of the key. Who reads Redis or its files learns neither the key nor the answer; the client's next request
// with the same key brings what opens it.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 16;
const SEAL_BYTES = 32;
/** A shorter text is not worth compressing, characters. */
const COMPRESSED_FROM = 1000;
/** First byte of a compressed text; no JSON begins with it. */
const COMPRESSED = 1;
/** No answer is longer than this, bytes. */
const ANSWER_BYTES_MAX = 16_000_000;

/** Where an answer is remembered, and what opens it. */
interface AnswerPlace {
  /** 32 hex digits. */
  readonly name: string;
  readonly seal: Buffer;
}

/** The place of an account's answer under a client's Idempotency-Key: both are derived from it, and it from neither. */
export function answerPlace(accountId: string, idempotencyKey: string): AnswerPlace {
  const derived = Buffer.from(hkdfSync('sha256', idempotencyKey, accountId, 'remembered answer', NAME_BYTES + SEAL_BYTES));
  return { name: derived.subarray(0, NAME_BYTES).toString('hex'), seal: derived.subarray(NAME_BYTES) };
}

/** @param seal 32 bytes; @returns base64 */
export function sealAnswer(text: string, seal: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', seal, iv);
  const plain = text.length >= COMPRESSED_FROM ? compressed(text) : Buffer.from(text, 'utf8');
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64');
}

/** @throws Error when it was sealed with another key, or changed */
export function openAnswer(sealed: string, seal: Buffer): string {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', seal, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  const text = plain[0] === COMPRESSED ? inflateRawSync(plain.subarray(1), { maxOutputLength: ANSWER_BYTES_MAX }) : plain;
  return text.toString('utf8');
}

const compressed = (text: string): Buffer => Buffer.concat([Buffer.of(COMPRESSED), deflateRawSync(text)]);

// Counts the bytes of answers that Redis remembers for a time, by whom they belong to, in Lua for the scripts that write and
// refuse them. What is remembered is counted by owner and in all, and beside it by the time at which it ends, in 24ths of its
// life; what has ended is taken off when a bound is met. A stream beside it names the places of the answers of a life: a backup
// finds them without a scan.

/** Bytes that an answer ties up beside its own, about: the key with its time, and its name in the stream. */
const BYTES_EACH = 350;

/**
 * Defines, for a script: `isOverfull(own, all, ownMax, allMax)`; `countRemembered(key, answer)` with the answer's `place` (its Redis
 * key), `owner`, `bytes` and `lifeMs`; and `isRememberedFull(key, owner, ownMax, allMax)`. `key` is a hash owner -> bytes; hashes of
 * what ends at one time, and the stream of places, are beside it with the same hash tag. When all together are over their bound,
 * those go on who have less than a sixteenth of their own, up to twice the bound: one owner can not have the others refused.
 */
export const REMEMBERED_LUA = `
local function isOverfull(own, all, ownMax, allMax)
  return own > ownMax or all > 2 * allMax or (all > allMax and own > ownMax / 16)
end
local function nowMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function countRemembered(key, answer)
  local owner, lifeMs = answer.owner, answer.lifeMs
  local width = redis.call('HGET', key, '_width')
  if not width then
    width = math.max(1, math.floor(lifeMs / 24))
    redis.call('HSET', key, '_width', width)
  end
  local now = nowMs()
  local ends = string.format('%.0f', math.ceil((now + lifeMs) / width))
  local oldest = redis.call('HGET', key, '_oldest')
  if not oldest or tonumber(ends) < tonumber(oldest) then redis.call('HSET', key, '_oldest', ends) end
  local counted = answer.bytes + ${BYTES_EACH}
  redis.call('HINCRBY', key, owner, counted)
  redis.call('HINCRBY', key, '_all', counted)
  redis.call('HINCRBY', key .. ':' .. ends, owner, counted)
  redis.call('XADD', key .. ':places', 'MINID', '~', math.max(0, now - lifeMs), '*', 'place', answer.place, 'owner', owner)
end
local function forgetEnded(key)
  local oldest, width = tonumber(redis.call('HGET', key, '_oldest')), tonumber(redis.call('HGET', key, '_width'))
  if not oldest then return end
  local ended = math.floor(nowMs() / width)
  while oldest <= ended do
    local of = key .. ':' .. string.format('%.0f', oldest)
    local gone = redis.call('HGETALL', of)
    for i = 1, #gone, 2 do
      if redis.call('HINCRBY', key, gone[i], -gone[i + 1]) <= 0 then redis.call('HDEL', key, gone[i]) end
      redis.call('HINCRBY', key, '_all', -gone[i + 1])
    end
    redis.call('DEL', of)
    oldest = oldest + 1
  end
  redis.call('HSET', key, '_oldest', string.format('%.0f', oldest))
  if redis.call('HLEN', key) == 3 then redis.call('DEL', key) end
end
local function isRememberedFull(key, owner, ownMax, allMax)
  for look = 1, 2 do
    local known = redis.call('HMGET', key, owner, '_all')
    if not isOverfull(tonumber(known[1] or '0'), tonumber(known[2] or '0'), ownMax, allMax) then return false end
    if look == 1 then forgetEnded(key) end
  end
  return true
end
`;
