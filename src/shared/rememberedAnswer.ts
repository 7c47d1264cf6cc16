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
export interface AnswerPlace {
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
