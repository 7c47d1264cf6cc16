// The places for password hashes of an API node. Each hash takes tens of milliseconds of a core and megabytes of memory,
// so they run one at a time and a bounded number waits. Strangers wait in a queue of their own, of which one network gets
// a part: neither one address nor many of them can keep out users whom the node knows by a device, a network or a token.
import { RequestError } from '../../../shared/errors.ts';

/** Hashes that run at once: one, because orders need the process's few cores. */
const RUNNING_MAX = 1;
/** Hashes of each line that may wait. At 40 a second, in turns: six seconds for the last of both lines. */
const WAITING_MAX = 128;
/** Hashes of one known user that may wait; of one network as many by default. */
const PER_USER_MAX = 64;

/** Who asks for a hash. */
export interface HashPlace {
  /** A stranger's network, or a known user's id. */
  readonly subject: string;
  readonly isKnown: boolean;
}

interface Line {
  readonly max: number;
  readonly perSubjectMax: number;
  readonly waiting: { readonly subject: string; readonly begin: () => void }[];
  readonly held: Map<string, number>;
}

export class HashQueue {
  readonly #known: Line = { max: WAITING_MAX, perSubjectMax: PER_USER_MAX, waiting: [], held: new Map() };
  readonly #strangers: Line;
  #running = 0;
  #wasKnown = false;

  /** @param options.perNetworkMax hashes of one network that may wait */
  constructor({ perNetworkMax }: { perNetworkMax: number }) {
    this.#strangers = { max: WAITING_MAX, perSubjectMax: perNetworkMax, waiting: [], held: new Map() };
  }

  /** Hashes that run or wait. */
  get load(): number {
    return this.#running + this.#known.waiting.length + this.#strangers.waiting.length;
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
    const { waiting, held, max, perSubjectMax } = isKnown ? this.#known : this.#strangers;
    const count = held.get(subject) ?? 0;
    if (waiting.length >= max || count >= perSubjectMax) {
      throw new RequestError(503, 'busy', 'Too many logins at the moment. Try again in a few seconds.', { 'Retry-After': '3' });
    }
    held.set(subject, count + 1);
    await new Promise<void>((begin) => waiting.push({ subject, begin }));
  }

  /** A finished hash hands its place to the next one, so no newcomer gets in between; the two lines take turns. */
  #next(): void {
    const [first, second] = this.#wasKnown ? [this.#strangers, this.#known] : [this.#known, this.#strangers];
    const line = first.waiting.length > 0 ? first : second;
    const next = line.waiting.shift();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#wasKnown = line === this.#known;
    const left = (line.held.get(next.subject) ?? 0) - 1;
    if (left > 0) line.held.set(next.subject, left);
    else line.held.delete(next.subject);
    next.begin();
  }
}
