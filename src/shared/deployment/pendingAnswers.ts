// Questions to a store that may stay without an answer for as long as one of its nodes is away: each is given some time, and is not
// asked a second time while the first is under way. What comes late is there for who asks next.
import { withTimeout } from '../withTimeout.ts';

export class PendingAnswers<Key, Answer> {
  readonly #withinMs: number;
  readonly #underWay = new Map<Key, Promise<Answer>>();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /**
   * @param ask made once for the key while it is under way
   * @returns undefined when there is no answer in time, or the question has failed
   */
  async answer(key: Key, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    let asked = this.#underWay.get(key);
    if (asked === undefined) {
      asked = ask().finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, asked);
    }
    return withTimeout(this.#withinMs, 'Redis', asked).catch(() => undefined);
  }
}
