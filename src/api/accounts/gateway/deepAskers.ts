// Whose large orders have a node ask for aggregated books (trading-rules 3.5), with time as an input. A user has a share: so many coins at a time, and
// so many requests that wait. Beyond it an order meets what is known.
import type { DeepWant } from '../../../shared/venue/deepWants.ts';

/** Coins that a node asks for in a user's name at a time. */
const COINS_MAX = 4;
/** Requests of a user that wait at a node at a time. */
const WAITING_MAX = 4;
/** How long a book is kept for who has asked, ms; and how often it is asked for again while more orders come. */
const WANT_MS = 60_000;
const REPEAT_MS = 10_000;

interface Asked {
  readonly coins: number;
  readonly untilMs: number;
}

export class DeepAskers {
  /** By coin, then by user. */
  readonly #asked = new Map<string, Map<string, Asked>>();
  readonly #coinsOf = new Map<string, number>();
  readonly #told = new Map<string, DeepWant>();
  readonly #waiting = new Map<string, number>();
  #sweptMs = 0;

  /**
   * Notes that an order of the user wants so much of a coin.
   * @returns what the leader is to be told: `known` when it knows, `refused` when the user's share is used up
   */
  ask(
    user: string,
    { coin, coins }: { readonly coin: string; readonly coins: number },
    nowMs: number,
  ): DeepWant | 'known' | 'refused' {
    if (nowMs - this.#sweptMs >= REPEAT_MS) this.#sweep(nowMs);
    const users = this.#asked.get(coin) ?? new Map<string, Asked>();
    const before = users.get(user);
    if (before === undefined) {
      if (this.#countOf(user) >= COINS_MAX) return 'refused';
      this.#coinsOf.set(user, this.#countOf(user) + 1);
    }
    const mine = { coins: Math.max(coins, before?.coins ?? 0), untilMs: nowMs + WANT_MS };
    this.#asked.set(coin, users.set(user, mine));
    const told = this.#told.get(coin);
    const owner = [...users.keys()].reduce((best, each) => (this.#countOf(each) < this.#countOf(best) ? each : best));
    if (told?.owner === owner && told.coins >= mine.coins && mine.untilMs - told.untilMs < REPEAT_MS) return 'known';
    const want = {
      kind: 'asked',
      owner,
      coins: Math.max(...[...users.values()].map((each) => each.coins)),
      untilMs: mine.untilMs,
    } as const;
    this.#told.set(coin, want);
    return want;
  }

  /** Takes a place among the user's requests that wait; `undefined` when all are taken. @returns gives it back */
  wait(user: string): (() => void) | undefined {
    const waiting = this.#waiting.get(user) ?? 0;
    if (waiting >= WAITING_MAX) return undefined;
    this.#waiting.set(user, waiting + 1);
    return () => this.#countDown(this.#waiting, user);
  }

  #countOf(user: string): number {
    return this.#coinsOf.get(user) ?? 0;
  }

  #countDown(counts: Map<string, number>, user: string): void {
    const left = (counts.get(user) ?? 0) - 1;
    if (left > 0) counts.set(user, left);
    else counts.delete(user);
  }

  /** Forgets what has ended: within `REPEAT_MS`. */
  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const [coin, users] of this.#asked) {
      for (const [user, { untilMs }] of users) {
        if (untilMs > nowMs) continue;
        users.delete(user);
        this.#countDown(this.#coinsOf, user);
      }
      if (users.size > 0) continue;
      this.#asked.delete(coin);
      this.#told.delete(coin);
    }
  }
}
