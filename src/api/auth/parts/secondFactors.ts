// The second factors of users, with their secrets sealed.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import { HOUR_MS } from '../../../shared/domain/units.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { compareAndSet } from '../../../shared/mongo/compareAndSet.ts';
import type { Guess, SecondFactorDocument, SecondFactorStore } from '../../../shared/mongo/secondFactorStore.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { mayNot } from '../../contract/whoMay.ts';
import { newRecovery, newSecret, type Recovery, stepOf, uriOf, withoutCode } from './secondFactorCodes.ts';

// Seals the secret of an authenticator, so that a copy of the database alone makes no codes. It is bound to its user: sealed
// for one, it cannot be opened as another's.

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

// The second factors of users: begun, confirmed, checked. A check either uses a code up or notes a wrong guess, and does so in
// MongoDB before it answers: a limit that a node or Redis could lose would be a way to guess six digits.

/** Wrong codes that one network, device or session may send in a quarter of an hour. */
const OWN_GUESSES_MAX = 5;
const OWN_WINDOW_MS = HOUR_MS / 4;
/** Wrong codes an hour of all together that the account does not know: three codes in a million are good, so 480 a day have even odds after 480 days. */
const STRANGERS_GUESSES_MAX = 20;
/** Wrong codes that the document keeps, more than the limits allow a few clients. */
const GUESSES_KEPT = 200;
/** How long a second factor that was begun may be confirmed, ms. */
const BEGUN_MS_MAX = HOUR_MS;
/** How often a check that others overtake begins again. */
const CONTENDED = {
  tries: 20,
  busy: () => new RequestError(503, 'busy', 'Other requests check codes of this account.', { 'Retry-After': '1' }),
};

/** Who sends a code: a network, a device or a session. `isKnown`: it has shown a right one before, or holds an access token. */
export type CodeSender = Omit<Guess, 'at'>;

/** How a code was right. `recoveryLeft` only for a recovery code. */
export interface CodeUse {
  readonly recoveryLeft?: number;
}

interface SecondFactorsParts {
  readonly store: SecondFactorStore;
  readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly log: Logger;
  readonly now: () => number;
}

export class SecondFactors {
  readonly #parts: SecondFactorsParts;

  constructor(parts: SecondFactorsParts) {
    this.#parts = parts;
  }

  /** The user's second factor, when it is confirmed. */
  async find(userId: string): Promise<SecondFactorDocument | undefined> {
    const found = await this.#parts.store.find(userId);
    return found?.confirmedAt === undefined ? undefined : found;
  }

  /** @returns the secret and its `otpauth:` address, or undefined when the user has a second factor */
  async begin({ _id: userId, email }: Pick<User, '_id' | 'email'>): Promise<{ secret: string; uri: string } | undefined> {
    const { store, now } = this.#parts;
    const secret = newSecret();
    const sealed = seal(secret, { key: await this.#key(), userId });
    const kept = await store.find(userId);
    const isBegun = await store.begin({
      ...{ _id: userId, secret: sealed, createdAt: new Date(now()), lastStep: 0, recovery: { salt: '', digests: [] } },
      // Beginning anew takes no guess back.
      ...{ guesses: kept?.guesses ?? [], revision: (kept?.revision ?? 0) + 1, schema: 1 },
    });
    return isBegun ? { secret, uri: uriOf(secret, email) } : undefined;
  }

  /**
   * Confirms the second factor that was begun, by a code of it.
   * @param beforeOn done when the code was right and before logins ask for one; the factor stays begun when it throws
   * @returns the recovery codes
   * @throws {RequestError} 409 when none was begun, else as `check`
   */
  async confirm(userId: string, code: string, sender: CodeSender, beforeOn: () => Promise<void>): Promise<string[]> {
    const { store, now } = this.#parts;
    const proven = await this.#attempt(userId, sender, async (factor) => {
      if (!this.#isBegun(factor)) throw notBegun();
      const step = await this.#unusedStep(factor, code);
      return step === undefined ? undefined : { lastStep: step };
    });
    await beforeOn();
    const { codes, recovery } = newRecovery();
    return compareAndSet(CONTENDED, async () => {
      const factor = await store.find(userId);
      if (factor === null || !this.#isBegun(factor) || factor.secret !== proven.secret) throw notBegun();
      return (await store.change(factor, { recovery, confirmedAt: new Date(now()) })) ? codes : undefined;
    });
  }

  /**
   * Uses a code up.
   * @throws {RequestError} 401 when it is wrong or was used before, 429 after too many wrong ones
   */
  async check(userId: string, code: string, sender: CodeSender): Promise<CodeUse> {
    let use: CodeUse = {};
    await this.#attempt(userId, sender, async (factor) => {
      if (factor.confirmedAt === undefined) throw notBegun();
      const left = withoutCode(code, factor.recovery);
      use = left === undefined ? {} : { recoveryLeft: left.digests.length };
      if (left !== undefined) return { recovery: left };
      const step = await this.#unusedStep(factor, code);
      return step === undefined ? undefined : { lastStep: step };
    });
    return use;
  }

  /** New recovery codes in place of all others. @throws {RequestError} 409 when there is no second factor */
  async renewRecovery(userId: string): Promise<string[]> {
    const { codes, recovery } = newRecovery();
    return compareAndSet(CONTENDED, async () => {
      const factor = await this.find(userId);
      if (factor === undefined) throw notBegun();
      return (await this.#parts.store.change(factor, { recovery })) ? codes : undefined;
    });
  }

  /**
   * @param factor this one only; absent = any, also one that was begun only
   * @returns false when there was none
   */
  remove(userId: string, factor?: Pick<SecondFactorDocument, 'secret'>): Promise<boolean> {
    return this.#parts.store.remove(userId, factor);
  }

  #isBegun({ confirmedAt, createdAt }: SecondFactorDocument): boolean {
    return confirmedAt === undefined && this.#parts.now() - createdAt.getTime() <= BEGUN_MS_MAX;
  }

  /**
   * One attempt, noted before it is answered.
   * @param use what a right code changes; undefined for a wrong one
   * @returns the factor that the code is of, as it was before
   */
  async #attempt(
    userId: string,
    sender: CodeSender,
    use: (factor: SecondFactorDocument) => Promise<{ lastStep?: number; recovery?: Recovery } | undefined>,
  ): Promise<SecondFactorDocument> {
    const { store, now } = this.#parts;
    return compareAndSet(CONTENDED, async () => {
      const factor = await store.find(userId);
      if (factor === null) throw notBegun();
      const nowMs = now();
      const recent = factor.guesses.filter(({ at }) => nowMs - at.getTime() < HOUR_MS);
      requireRoom(recent, sender, nowMs);
      const change = await use(factor);
      const guesses = change === undefined ? [...recent, { ...sender, at: new Date(nowMs) }].slice(-GUESSES_KEPT) : recent;
      if (!(await store.change(factor, { ...change, guesses }))) return undefined;
      if (change !== undefined) return factor;
      throw mayNot('invalid_second_factor', 'The code is wrong, or was used before.');
    });
  }

  async #unusedStep({ _id: userId, secret, lastStep }: SecondFactorDocument, code: string): Promise<number | undefined> {
    const { log, now } = this.#parts;
    let opened: string;
    try {
      opened = unseal(secret, { key: await this.#key(), userId });
    } catch (error) {
      log.error({ err: error, userId }, 'the secret of a second factor cannot be opened: was DEPLOYMENT_SECRET changed?');
      return undefined;
    }
    const step = stepOf(code, opened, now());
    return step !== undefined && step > lastStep ? step : undefined;
  }

  #key(): Promise<Buffer> {
    return this.#parts.secrets.keyFor('second factors');
  }
}

/** @throws {RequestError} 429 */
function requireRoom(recent: readonly Guess[], { subject, isKnown }: CodeSender, nowMs: number): void {
  const own = recent.filter((guess) => guess.subject === subject && nowMs - guess.at.getTime() < OWN_WINDOW_MS);
  const strangers = recent.filter((guess) => !guess.isKnown);
  const isOwnFull = own.length >= OWN_GUESSES_MAX;
  if (!isOwnFull && (isKnown || strangers.length < STRANGERS_GUESSES_MAX)) return;
  const [oldest] = isOwnFull ? own : strangers;
  const endsMs = (oldest?.at.getTime() ?? nowMs) + (isOwnFull ? OWN_WINDOW_MS : HOUR_MS);
  const seconds = Math.max(1, Math.ceil((endsMs - nowMs) / 1000));
  throw new RequestError(429, 'rate_limited', `Too many wrong codes. Try again in ${seconds} s.`, {
    'Retry-After': String(seconds),
  });
}

const notBegun = (): RequestError =>
  new RequestError(409, 'no_second_factor', 'There is no second factor, or none that was begun in the last hour.');
