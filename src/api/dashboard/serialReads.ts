// Runs reads that add up a whole history one after the other. Several at once would take an API node's time from
// trading.
import { RequestError } from '../../shared/errors.ts';

/** Reads that wait for their turn; the longest takes some seconds. */
export const WAITING_MAX = 16;

export class SerialReads {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @throws {RequestError} 503 `busy` when too many wait already, and whatever `read` throws */
  async run<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    if (this.#waiting >= WAITING_MAX) {
      throw new RequestError(503, 'busy', 'Too many analyses are asked for at the moment.', { 'Retry-After': '5' });
    }
    this.#waiting += 1;
    const turn = this.#last.then(read).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = turn.catch(() => undefined); // its own caller is told; the next one starts all the same
    return await turn;
  }
}
