// Which users have changed lately, for look-ups that are under way: what was read before a change of its user may be old
// and is read again. A change of another user costs a look-up nothing, so that no user can keep those of others from ending.

/** Users remembered, more than change while a look-up lasts; past it all look-ups under way are repeated once. */
const USERS_MAX = 1000;

export class ChangesSeen {
  #count = 0;
  #allAt = 0;
  readonly #lastOf = new Map<string, number>();

  /** The number of changes so far: a look-up notes it when it begins. */
  get count(): number {
    return this.#count;
  }

  note(userId: string): void {
    if (this.#lastOf.size >= USERS_MAX) this.noteAll();
    this.#count += 1;
    this.#lastOf.set(userId, this.#count);
  }

  /** Any user may have changed. */
  noteAll(): void {
    this.#count += 1;
    this.#allAt = this.#count;
    this.#lastOf.clear();
  }

  /** @param since the count when the look-up began */
  hasChanged(userId: string, since: number): boolean {
    return this.#allAt > since || (this.#lastOf.get(userId) ?? 0) > since;
  }
}
