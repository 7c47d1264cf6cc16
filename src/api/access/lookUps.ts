// Look-ups of keys and tokens that this node does not know, by network address. One address has a few under way, and each
// is counted before the address begins another: so what strangers make the stores do stays within their address's
// requests, however many connections they open. From an address that has used those up a few more are looked up, for a
// valid key may still come from there.
import type { RateLimit } from './limits/rateLimit.ts';

/** Look-ups of one address under way at once: less than half of a process's connections to MongoDB. */
const UNDER_WAY_MAX = 8;
/** Look-ups that a node begins for all addresses at their limit together. */
const SPARE_PER_SECOND = 20;

interface OfNetwork {
  underWay: number;
  readonly waiting: (() => void)[];
}

export class LookUps {
  readonly #rateLimit: Pick<RateLimit, 'isAtLimit'>;
  readonly #spare = new LocalRateLimit(SPARE_PER_SECOND);
  readonly #networks = new Map<string, OfNetwork>();

  constructor(rateLimit: Pick<RateLimit, 'isAtLimit'>) {
    this.#rateLimit = rateLimit;
  }

  /**
   * @param address.subject its window of requests, of which `cap` may be used
   * @param work the look-up, and the request's count; `mayAsk`: the stores may be asked
   */
  async run<T>(address: { subject: string; cap: number; nowMs: number }, work: (mayAsk: boolean) => Promise<T>): Promise<T> {
    const { subject, cap, nowMs } = address;
    const own = this.#networks.get(subject) ?? { underWay: 0, waiting: [] };
    this.#networks.set(subject, own);
    if (own.underWay < UNDER_WAY_MAX) own.underWay += 1;
    else await new Promise<void>((begin) => own.waiting.push(begin));
    try {
      return await work(!this.#rateLimit.isAtLimit(subject, cap) || this.#spare.take(nowMs));
    } finally {
      // Who waits gets the place of the one that ends.
      const next = own.waiting.shift();
      if (next !== undefined) next();
      else own.underWay -= 1;
      if (own.underWay === 0) this.#networks.delete(subject);
    }
  }
}

/** A limit per second, counted in memory: for work that this node does for requesters without a claim to it. */
class LocalRateLimit {
  readonly #perSecond: number;
  #second = 0;
  #taken = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** @returns false when this second's share is used up */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perSecond) return false;
    this.#taken += 1;
    return true;
  }
}
