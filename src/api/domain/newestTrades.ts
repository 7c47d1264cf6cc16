// The newest trades of many fills, which come in any order: a trade is a fill that closes (part of) a position (tradeFigures.ts).
import type { FillRow } from '../../actors/domain/messages/historyRows.ts';
import { closes } from './tradeFigures.ts';

export class NewestTrades {
  readonly #most: number;
  #trades: FillRow[] = [];

  /** @param most trades that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  readonly add = (fill: FillRow): void => {
    if (!closes(fill)) return;
    this.#trades.push(fill);
    if (this.#trades.length >= 2 * this.#most) this.#trades = this.tell();
  };

  /** Newest first: trade ids rise with time. */
  tell(): FillRow[] {
    return this.#trades.toSorted((a, b) => b.tid - a.tid).slice(0, this.#most);
  }
}
