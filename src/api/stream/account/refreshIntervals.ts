// How soon a state is shown again although nothing happened to the account. One that prices move, each second while few such
// are watched on this node, and less often the more there are: each is a question to the account, and who trades comes first.
/** The venue's own pace, ms; what prices do not move is never shown faster. */
const EVERY_MS_MAX = 5000;
const EVERY_MS_MIN = 1000;
/** Of moving states, of all accounts on this node together: a tenth of a core of all processes that such a question passes. */
const PER_SECOND_MAX = 200;

export class RefreshIntervals {
  readonly #moving = new Set<object>();

  /** @returns how soon a view is to be shown again, ms, after it was shown as it is now */
  nextMs(view: object, { isMoving }: { readonly isMoving: boolean }): number {
    if (!isMoving) {
      this.#moving.delete(view);
      return EVERY_MS_MAX;
    }
    this.#moving.add(view);
    const fairMs = (1000 * this.#moving.size) / PER_SECOND_MAX;
    return Math.min(Math.max(fairMs, EVERY_MS_MIN), EVERY_MS_MAX);
  }

  /** The view is not shown any more. */
  forget(view: object): void {
    this.#moving.delete(view);
  }
}
