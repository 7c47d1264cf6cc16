// How soon a state is sent again without a change of the account. A state that prices move is sent each second while
// this node shows few of them, and less often the more there are: each costs a question to the account, and orders
// come first.
/** The venue's own interval, ms; a state that prices do not move is never sent more often. */
const EVERY_MS_MAX = 5000;
const EVERY_MS_MIN = 1000;
/** Moving states per second, of all accounts on this node together: the questions cost a tenth of a core in all processes. */
const PER_SECOND_MAX = 200;

export class RefreshIntervals {
  readonly #moving = new Set<object>();

  /** @returns after how many ms a view that was just shown is due again */
  nextMs(view: object, { isMoving }: { readonly isMoving: boolean }): number {
    if (!isMoving) {
      this.#moving.delete(view);
      return EVERY_MS_MAX;
    }
    this.#moving.add(view);
    const fairMs = (1000 * this.#moving.size) / PER_SECOND_MAX;
    return Math.min(Math.max(fairMs, EVERY_MS_MIN), EVERY_MS_MAX);
  }

  /** Stops counting a view that is no longer shown. */
  forget(view: object): void {
    this.#moving.delete(view);
  }
}
