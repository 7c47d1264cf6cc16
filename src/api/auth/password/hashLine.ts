// A bounded line for password hashes in which subjects take turns: who asks for many waits for the others, and a newcomer
// waits for one hash of each subject before it. When the line is full, the last of the subject with most gives way to a
// subject with fewer, so few addresses cannot fill it against all others.

export interface Waiting {
  readonly begin: () => void;
  /** Called in place of `begin` when it has to give way. */
  readonly giveWay: () => void;
}

export class HashLine {
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
