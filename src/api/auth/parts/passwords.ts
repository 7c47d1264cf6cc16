// Passwords: the line in which hashes wait, the hash and its check, and the passwords that are too weak.

import { randomBytes } from 'node:crypto';
import { dictionary } from '@zxcvbn-ts/language-common';
import { argon2id, hash, verify } from 'argon2';
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';

// A bounded line for password hashes in which subjects take turns: who asks for many waits for the others, and a newcomer waits
// for one hash of each subject before it. When the line is full, the last of the subject with most gives way to a subject with
// fewer, so few addresses cannot fill it against all others.

interface Waiting {
  readonly begin: () => void;
  /** Called in place of `begin` when it has to give way. */
  readonly giveWay: () => void;
}

class HashLine {
  readonly #max: number;
  readonly #perSubjectMax: number;
  /** Those who wait, each subject's in the order of arrival; the next turn is the first subject's. */
  readonly #subjects = new Map<string, Waiting[]>();
  #length = 0;

  constructor({ max, perSubjectMax }: { max: number; perSubjectMax: number }) {
    this.#max = max;
    this.#perSubjectMax = perSubjectMax;
  }

  get length(): number {
    return this.#length;
  }

  /** @returns false when there is no room for it */
  add(subject: string, waiting: Waiting): boolean {
    const own = this.#subjects.get(subject) ?? [];
    if (own.length >= this.#perSubjectMax) return false;
    if (this.#length >= this.#max && !this.#makeRoom(own.length + 1)) return false;
    own.push(waiting);
    this.#subjects.set(subject, own);
    this.#length += 1;
    return true;
  }

  /** Takes out whose turn it is; the subject then goes to the end of the row. */
  next(): Waiting | undefined {
    const [first] = this.#subjects;
    if (first === undefined) return undefined;
    const [subject, own] = first;
    this.#subjects.delete(subject);
    const next = own.shift();
    if (own.length > 0) this.#subjects.set(subject, own);
    this.#length -= 1;
    return next;
  }

  /** @returns false when no subject has more than these */
  #makeRoom(count: number): boolean {
    const fullest = [...this.#subjects.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    if (fullest.length <= count) return false;
    fullest.pop()?.giveWay();
    this.#length -= 1;
    return true;
  }
}

// The places for password hashes of an API node. Each hash takes tens of milliseconds of a core and megabytes of memory, so
// they run one at a time and a bounded number waits. Strangers wait in a line of their own, in turns by network: neither one
// address nor many of them can keep out users whom the node knows by a device, a network or a token, and one address delays
// another by one hash.

/** Hashes that run at once: one, because orders need the process's few cores. */
const RUNNING_MAX = 1;
/** Hashes of each line that may wait. At 40 a second, in turns: six seconds for the last of both lines. */
const WAITING_MAX = 128;
/** Hashes of one known user that may wait: more than a person with several devices asks for at once. */
const PER_USER_MAX = 8;

/** Who asks for a hash. */
export interface HashPlace {
  /** A stranger's network, or a known user's id. */
  readonly subject: string;
  readonly isKnown: boolean;
}

export class HashQueue {
  readonly #known = new HashLine({ max: WAITING_MAX, perSubjectMax: PER_USER_MAX });
  readonly #strangers: HashLine;
  #running = 0;
  #wasKnown = false;

  /** @param options.perNetworkMax hashes of one network that may wait */
  constructor({ perNetworkMax }: { perNetworkMax: number }) {
    this.#strangers = new HashLine({ max: WAITING_MAX, perSubjectMax: perNetworkMax });
  }

  /** Hashes that run or wait. */
  get load(): number {
    return this.#running + this.#known.length + this.#strangers.length;
  }

  /** @throws {RequestError} 503 `busy` when too many wait already */
  async run<T>(place: HashPlace, work: () => Promise<T>): Promise<T> {
    await this.#turn(place);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #turn({ subject, isKnown }: HashPlace): Promise<void> {
    if (this.#running < RUNNING_MAX) {
      this.#running += 1;
      return;
    }
    const line = isKnown ? this.#known : this.#strangers;
    await new Promise<void>((begin, refuse) => {
      if (!line.add(subject, { begin, giveWay: () => refuse(busy()) })) refuse(busy());
    });
  }

  /** A finished hash hands its place to the next one, so no newcomer gets in between; the two lines take turns. */
  #next(): void {
    const [first, second] = this.#wasKnown ? [this.#strangers, this.#known] : [this.#known, this.#strangers];
    const line = first.length > 0 ? first : second;
    const next = line.next();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#wasKnown = line === this.#known;
    next.begin();
  }
}

const busy = (): RequestError =>
  new RequestError(503, 'busy', 'Too many logins at the moment. Try again in a few seconds.', { 'Retry-After': '3' });

/** Hashes and checks passwords with argon2id, in the places of the queue. */
export class Passwords {
  readonly #options: { type: typeof argon2id; memoryCost: number; timeCost: number; parallelism: number };
  readonly #queue: HashQueue;
  /** A hash of no password. A check against it takes as long as one against a user's hash. */
  readonly #dummyHash: string;

  constructor(config: Pick<Config, 'ARGON2_MEMORY_KIB' | 'ARGON2_PASSES' | 'AUTH_ADDRESS_LOGINS_WAITING'>) {
    this.#queue = new HashQueue({ perNetworkMax: config.AUTH_ADDRESS_LOGINS_WAITING });
    this.#options = { type: argon2id, memoryCost: config.ARGON2_MEMORY_KIB, timeCost: config.ARGON2_PASSES, parallelism: 1 };
    const [salt, digest] = [randomBytes(16), randomBytes(32)].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
    this.#dummyHash = `$argon2id$v=19$m=${config.ARGON2_MEMORY_KIB},t=${config.ARGON2_PASSES},p=1$${salt}$${digest}`;
  }

  /** Hashes that run or wait. */
  get load(): number {
    return this.#queue.load;
  }

  /** @throws {RequestError} 503 `busy` when too many wait already */
  hash(password: string, place: HashPlace): Promise<string> {
    return this.#queue.run(place, () => hash(password, this.#options));
  }

  /**
   * Checks a password against a user's hash. Without a hash (no user has that address) it takes as long and is false.
   * @throws {RequestError} 503 `busy` when too many wait already
   */
  verify(password: string, passwordHash: string | undefined, place: HashPlace): Promise<boolean> {
    return this.#queue.run(place, () => verify(passwordHash ?? this.#dummyHash, password));
  }
}

// Passwords that guessing finds first: those on a list of common ones, which ships with a library, and those made of the user's
// own e-mail address or the service's name. Asked where a password is set, never at login: no user of before is kept out.

/** The shortest password that may be set at all. */
const LENGTH_MIN = 8;
/** Words of the address that are shorter may be part of any password. */
const WORD_LENGTH_MIN = 4;
/** A password needs so many characters beside the words that are easily guessed for its user. */
const OWN_CHARACTERS_MIN = 5;
const SERVICE = ['paper', 'perps', 'perpetual', 'exchange'];

const common: ReadonlySet<string> = new Set(dictionary['passwords-common'].filter(({ length }) => length >= LENGTH_MIN));

/**
 * @param email of the user, where it is known
 * @throws {RequestError} 400 `weak_password`
 */
export function refuseWeakPassword(password: string, email = ''): void {
  const lower = password.toLowerCase();
  if (common.has(lower)) throw weak('This password is one of those that are tried first. Choose another, e.g. of several words.');
  const words = [...email.split('@'), ...email.split(/[^\p{L}\p{N}]+/u), ...SERVICE]
    .filter(({ length }) => length >= WORD_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  const isGuessable = words.some((word) => lower.includes(word));
  const own = words.reduce((rest, word) => rest.replaceAll(word, ''), lower);
  if (isGuessable && own.length < OWN_CHARACTERS_MIN) {
    throw weak('This password is little more than your e-mail address or the name of this service. Choose another.');
  }
}

const weak = (text: string): RequestError => new RequestError(400, 'weak_password', text);
