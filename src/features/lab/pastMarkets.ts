// The market as a key sees it whose failure lab delays or freezes its feed: this node's view as it was, so that every answer of `info`
// is what it would have been then, with the times of then. Orders are decided by the actors on the true market. What is kept is
// bounded: copies while a key asks for late ones, and some that stand still.
import type { PastMarket } from '../../api/accounts/services.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { type LabProfile, windowStart } from '../../shared/domain/labProfile.ts';

/** How often the view is copied while a key wants a late one, ms: a late view is older than wanted by so much at most. */
const COPY_EVERY_MS = 500;
/** Without a question for so long, no copies are made, ms. */
const UNASKED_MS = 60_000;
/** Views that stand still, of one user and of all: of more, the one that was asked least recently stands still anew. */
const FROZEN_EACH_MAX = 2;
const FROZEN_MAX = 16;

interface Copy extends PastMarket {
  /** Monotonic, ms. */
  readonly atMs: number;
}

interface Frozen {
  readonly userId: string;
  readonly seen: PastMarket;
}

interface Wanted {
  readonly profile: Pick<LabProfile, 'run' | 'feed' | 'schedule'>;
  readonly userId: string;
  readonly nowMs: number;
}

export class PastMarkets {
  readonly #market: LiveMarket;
  readonly #now: () => number;
  readonly #lateMaxMs: number;
  /** Oldest first. */
  #copies: Copy[] = [];
  #copying: NodeJS.Timeout | undefined;
  #askedMs = 0;
  /** By the profile and its window, the one that was asked least recently first. */
  readonly #frozen = new Map<string, Frozen>();

  /** @param options.lateMaxMs no feed is later */
  constructor(market: LiveMarket, { now, lateMaxMs }: { readonly now: () => number; readonly lateMaxMs: number }) {
    this.#market = market;
    this.#now = now;
    this.#lateMaxMs = lateMaxMs;
  }

  /** @returns undefined where the feed is neither late nor frozen */
  seen({ profile, userId, nowMs }: Wanted): PastMarket | undefined {
    const { freeze, delay = 0 } = profile.feed ?? {};
    if (freeze !== true) return delay === 0 ? undefined : this.#late(delay);
    const name = `${profile.run} ${windowStart(profile, nowMs)}`;
    const seen = this.#frozen.get(name)?.seen ?? (delay === 0 ? this.#copy() : this.#late(delay));
    this.#frozen.delete(name);
    this.#frozen.set(name, { userId, seen });
    this.#bound(userId);
    return seen;
  }

  stop(): void {
    clearInterval(this.#copying);
    this.#copies = [];
    this.#frozen.clear();
  }

  /** The newest copy that is old enough. As long as there is none, the market stands still at the first one. */
  #late(delayMs: number): PastMarket {
    const nowMs = performance.now();
    this.#askedMs = nowMs;
    if (this.#copying === undefined) {
      this.#copies = [this.#copy()];
      this.#copying = setInterval(this.#onTime, COPY_EVERY_MS);
    }
    const first = this.#copies[0] as Copy;
    return this.#copies.findLast(({ atMs }) => atMs <= nowMs - delayMs) ?? first;
  }

  readonly #onTime = (): void => {
    const nowMs = performance.now();
    if (nowMs - this.#askedMs > UNASKED_MS) {
      clearInterval(this.#copying);
      this.#copying = undefined;
      this.#copies = [];
      return;
    }
    this.#copies.push(this.#copy());
    // The newest one that is old enough for the latest feed is the oldest that is needed.
    const oldest = this.#copies.findLastIndex(({ atMs }) => atMs <= nowMs - this.#lateMaxMs);
    if (oldest > 0) this.#copies.splice(0, oldest);
  };

  #copy(): Copy {
    return { market: this.#market.copy(), asOfMs: this.#now(), atMs: performance.now() };
  }

  #bound(userId: string): void {
    const own = [...this.#frozen].filter(([, frozen]) => frozen.userId === userId);
    if (own.length > FROZEN_EACH_MAX) this.#frozen.delete(own[0]?.[0] ?? '');
    const [oldest] = this.#frozen.keys();
    if (this.#frozen.size > FROZEN_MAX && oldest !== undefined) this.#frozen.delete(oldest);
  }
}
