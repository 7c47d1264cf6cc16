// How soon a state is sent again. Each time costs an answer from a view of the account, or from its owner where it has just
// traded, and orders come first, so a node shows a bounded number of states a second. Users share them, whatever the number of their accounts: one who shows
// little has its states as often as it wants, one that shows much gets what is left, and never more than its own bound.
import { getOrMake } from '../../../shared/domain/groups.ts';

/** How often a state is sent that prices move, and any other, ms: the latter is the venue's own interval. */
const MOVING_EVERY_MS = 1000;
const EVERY_MS = 5000;
/** States a second, of all users on this node together, and of one: 1,000 from views cost a tenth of a core. */
const PER_SECOND_MAX = 1000;
const PER_SECOND_OF_USER = 20;
/** States are shown at moments so far apart, those of one moment together: one call asks for all their versions, ms. */
const MOMENT_MS = 50;
/** Entries within this time are shown as one state, ms. */
const BURST_MS = 20;
/** After entries a user has so many questions more: at once, and a second. */
const ENTRY_READS_AT_ONCE = 40;
const ENTRY_READS_PER_SECOND = 20;
/** How old the share may be that users with much have, ms. */
const SHARE_MS = 1000;

interface Shown {
  readonly moving: Set<object>;
  readonly still: Set<object>;
  /** When the questions after entries are paid off, by the clock. */
  paidOffMs: number;
}

export class RefreshIntervals {
  readonly #users = new Map<string, Shown>();
  readonly #clock: () => number;
  #share = Number.POSITIVE_INFINITY;
  #shareUntilMs = Number.NEGATIVE_INFINITY;

  /** @param clock monotonic, ms */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** @returns after how many ms a view that was just shown is due again */
  nextMs(view: object, { userId, isMoving }: { readonly userId: string; readonly isMoving: boolean }): number {
    const user = this.#of(userId);
    const [in_, out] = isMoving ? [user.moving, user.still] : [user.still, user.moving];
    in_.add(view);
    out.delete(view);
    const wanted = wantedOf(user);
    const everyMs = isMoving ? MOVING_EVERY_MS : EVERY_MS;
    const ms = everyMs * Math.max(1, wanted / Math.min(PER_SECOND_OF_USER, this.#shareNow()));
    const nowMs = this.#clock();
    return Math.round((nowMs + ms) / MOMENT_MS) * MOMENT_MS - nowMs;
  }

  /** @returns after how many ms a view may show an entry of its account */
  afterEntryMs(userId: string): number {
    const user = this.#of(userId);
    const nowMs = this.#clock();
    const eachMs = 1000 / ENTRY_READS_PER_SECOND;
    user.paidOffMs = Math.max(user.paidOffMs, nowMs) + eachMs;
    return Math.max(BURST_MS, user.paidOffMs - nowMs - ENTRY_READS_AT_ONCE * eachMs);
  }

  /** Stops counting a view that is no longer shown. */
  forget(view: object, userId: string): void {
    const user = this.#users.get(userId);
    user?.moving.delete(view);
    user?.still.delete(view);
    if (user !== undefined && user.moving.size + user.still.size === 0) this.#users.delete(userId);
  }

  #of(userId: string): Shown {
    return getOrMake(this.#users, userId, () => ({ moving: new Set(), still: new Set(), paidOffMs: 0 }));
  }

  #shareNow(): number {
    const nowMs = this.#clock();
    if (nowMs >= this.#shareUntilMs) {
      this.#shareUntilMs = nowMs + SHARE_MS;
      this.#share = shareOf([...this.#users.values()].map((user) => Math.min(PER_SECOND_OF_USER, wantedOf(user))));
    }
    return this.#share;
  }
}

/** Questions a second that a user's views would cost, were there no other. */
const wantedOf = ({ moving, still }: Shown): number => (1000 * moving.size) / MOVING_EVERY_MS + (1000 * still.size) / EVERY_MS;

/** The most that one user may have of what all have together, so that none gets less than another that wants as much. */
function shareOf(wanted: number[]): number {
  let left = PER_SECOND_MAX;
  let others = wanted.length;
  for (const one of wanted.sort((a, b) => a - b)) {
    if (one * others > left) return left / others;
    left -= one;
    others -= 1;
  }
  return Number.POSITIVE_INFINITY;
}
