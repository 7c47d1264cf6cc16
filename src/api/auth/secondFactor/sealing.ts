// Seals the secret of an authenticator, so that a copy of the database alone makes no codes. It is bound to its user:
// sealed for one, it cannot be opened as another's.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const FORM = 'v1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param key 32 bytes */
export function seal(text: string, { key, userId }: { key: Buffer; userId: string }): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(userId));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return FORM + Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64');
}

/** @throws Error when another key or user sealed it */
export function unseal(sealed: string, { key, userId }: { key: Buffer; userId: string }): string {
  const bytes = Buffer.from(sealed.slice(FORM.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(userId)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
