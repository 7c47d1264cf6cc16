// The codes of a second factor: those of an authenticator (RFC 6238: six digits, new every 30 seconds), and recovery
// codes for when it is lost.
import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const ISSUER = 'Paper exchange';
const STEP_SECONDS = 30;
const STEP_MS = STEP_SECONDS * 1000;
/** Codes of this many steps before and after now are good: clocks of telephones differ. */
const DRIFT_STEPS = 1;
const CODE_FORM = /^[0-9]{6}$/;
const SECRET_BYTES = 20;
const SALT_BYTES = 16;
/** 120 bits: too many to guess, also for those who have the digests. */
const RECOVERY_BYTES = 15;
const RECOVERY_CODES = 10;
const RECOVERY_FORM = /^[A-Z2-7]{24}$/;

export interface Recovery {
  readonly salt: string;
  readonly digests: readonly string[];
}

/** A secret as people type it (base32). */
export const newSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The address that a QR code of the secret shows (`otpauth://…`). */
export const uriOf = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The time step whose code this is; undefined for a code that is wrong now. */
export function stepOf(code: string, secret: string, nowMs: number): number | undefined {
  const token = withoutSpaces(code);
  // The library throws at six characters of more than six bytes.
  if (!CODE_FORM.test(token)) return undefined;
  const delta = totpOf(secret).validate({ token, timestamp: nowMs, window: DRIFT_STEPS });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

/** Ten codes, shown once, and what is kept of them. */
export function newRecovery(): { codes: string[]; recovery: Recovery } {
  const salt = randomBytes(SALT_BYTES).toString('hex');
  const codes = Array.from({ length: RECOVERY_CODES }, () => new Secret({ size: RECOVERY_BYTES }).base32);
  return {
    codes: codes.map((code) => code.match(/.{6}/g)?.join('-') ?? code),
    recovery: { salt, digests: codes.map((code) => recoveryDigest(code, salt)) },
  };
}

/** What is left when this code is used; undefined when it is none of them. */
export function withoutCode(code: string, { salt, digests }: Recovery): Recovery | undefined {
  const bare = withoutSpaces(code).toUpperCase();
  if (!RECOVERY_FORM.test(bare)) return undefined;
  const used = recoveryDigest(bare, salt);
  return digests.includes(used) ? { salt, digests: digests.filter((digest) => digest !== used) } : undefined;
}

const totpOf = (secret: string, label = 'account'): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: STEP_SECONDS });

const withoutSpaces = (code: string): string => code.replace(/[\s-]/g, '');

const recoveryDigest = (code: string, salt: string): string => createHash('sha256').update(`${salt}:${code}`).digest('hex');
