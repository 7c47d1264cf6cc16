// Requests that Redis has granted a subject before they came. A busy subject with a large limit takes as many as it has just
// used, so most of its requests ask nobody. They count from when they were taken, and may be spent only while that bucket of
// the window lasts: no span of the window's length ever holds more than the limit. What is left over stays counted.
import type { LimitUsage } from '../accounts/services.ts';

/** Share of a limit that a node may hold at once; a limit below this is always counted one by one. */
const SHARE_OF_LIMIT = 20_000;
/** Subjects with grants in hand; past it the oldest are forgotten, which costs them a question to Redis. */
const SUBJECTS_MAX = 10_000;

interface Hand {
  readonly cap: number;
  /** Milliseconds since the epoch, by this node's clock. */
  readonly endsAtMs: number;
  readonly resetMs: number;
  /** Requests of the subject in the window, with those that were spent of these. */
  used: number;
  left: number;
  /** Requests that came since the hand was taken, and the ones it was taken with. */
  came: number;
}

export class GrantsInHand {
  readonly #hands = new Map<string, Hand>();

  /** One of the subject's grants, if there is one left. */
  spend(subject: string, cap: number, nowMs: number): LimitUsage | undefined {
    const hand = this.#hands.get(subject);
    if (hand === undefined || hand.cap !== cap || hand.left === 0 || nowMs >= hand.endsAtMs) return undefined;
    hand.left -= 1;
    hand.used += 1;
    hand.came += 1;
    return { used: hand.used, cap, resetMs: hand.resetMs };
  }

  /** How many to take beside those that came: as many as came since the last time, within the same bucket. */
  wanted(subject: string, { cap, came, nowMs }: { cap: number; came: number; nowMs: number }): number {
    const most = Math.floor(cap / SHARE_OF_LIMIT);
    if (most === 0) return 0;
    const hand = this.#hands.get(subject);
    return hand === undefined || nowMs >= hand.endsAtMs ? 0 : Math.min(most, hand.came + came);
  }

  /** Keeps what was taken; an earlier hand's rest stays counted. */
  take(
    subject: string,
    { came, ...taken }: Pick<Hand, 'cap' | 'endsAtMs' | 'resetMs' | 'used' | 'left'> & { came: number },
  ): void {
    if (Math.floor(taken.cap / SHARE_OF_LIMIT) === 0) return;
    if (this.#hands.size >= SUBJECTS_MAX && !this.#hands.has(subject)) {
      const [oldest] = this.#hands.keys();
      if (oldest !== undefined) this.#hands.delete(oldest);
    }
    this.#hands.set(subject, { ...taken, came });
  }
}
