// Makes API keys: the text that its owner sees once, and what is kept of it.
import { randomInt } from 'node:crypto';
import { digestOf } from '../../access/credentials.ts';

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
