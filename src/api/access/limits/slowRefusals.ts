// How fast refusals are answered to an address that goes on asking past its limit. The first are answered at once; who goes on
// is answered later and later, and one at a time on each connection, so that asking for refusals costs no more than asking
// for answers. A client that waits as `Retry-After` says never notices.
import type { Socket } from 'node:net';

/** Refusals of one address that are answered at once, and those a second after them. */
const AT_ONCE = 100;
const PER_SECOND = 20;
/** The longest wait, ms: shorter than the times after which common clients give up. */
const WAIT_MS_MAX = 10_000;
/** Addresses that are remembered; past it the one that was refused nothing for longest is forgotten. */
const ADDRESSES_MAX = 10_000;

const EACH_MS = 1000 / PER_SECOND;
const AT_ONCE_MS = AT_ONCE * EACH_MS;

export class SlowRefusals {
  readonly #now: () => number;
  /** When all refusals of an address are paid for, in the order of their last ones. */
  readonly #paidAtMs = new Map<string, number>();
  readonly #waiting = new WeakSet<Socket>();

  /** @param now a clock that never jumps, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Waits until a refusal may be answered.
   * @returns false when another refusal waits on the connection, which its client should have read first
   */
  async turn(network: string, socket: Socket): Promise<boolean> {
    const ms = this.waitMs(network);
    if (ms === 0) return true;
    if (this.#waiting.has(socket)) return false;
    this.#waiting.add(socket);
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#waiting.delete(socket);
    return true;
  }

  /** Counts a refusal. @returns how long it has to wait, ms */
  waitMs(network: string): number {
    const nowMs = this.#now();
    const paidAtMs = Math.max(nowMs, this.#paidAtMs.get(network) ?? 0) + EACH_MS;
    const waitMs = Math.max(0, Math.min(WAIT_MS_MAX, paidAtMs - nowMs - AT_ONCE_MS));
    this.#paidAtMs.delete(network);
    if (this.#paidAtMs.size >= ADDRESSES_MAX) {
      const [oldest] = this.#paidAtMs.keys();
      if (oldest !== undefined) this.#paidAtMs.delete(oldest);
    }
    this.#paidAtMs.set(network, Math.min(paidAtMs, nowMs + AT_ONCE_MS + WAIT_MS_MAX));
    return waitMs;
  }
}
