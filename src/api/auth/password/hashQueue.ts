// The places for password hashes of an API node. Each hash takes tens of milliseconds of a core and megabytes of memory,
// so they run one at a time and a bounded number waits. Strangers wait in a line of their own, in turns by network: neither
// one address nor many of them can keep out users whom the node knows by a device, a network or a token, and one address
// delays another by one hash.
import { RequestError } from '../../../shared/errors.ts';
import { HashLine } from './hashLine.ts';

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
