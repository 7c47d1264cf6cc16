// Reduce-only orders that wait for the mark are cut to what is left of their position, each on its own (trading-rules
// 2.3). Each of a thousand fills of one decision may cut each of a thousand orders, so a decision only notes how small
// the position became, and cuts an order once: when its size matters, and at the end. An order is cut by what came after
// it was placed or armed.
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { WaitingOrder } from '../account/account.ts';
import { followsPosition } from '../account/orderMap.ts';

interface Cut {
  readonly number: number;
  /** Size of the position, coins. */
  readonly held: Decimal;
  readonly rough: number;
}

export class PositionCuts {
  /** By asset: rising numbers with rising sizes; a larger size before a smaller one cuts nothing more. */
  readonly #cuts = new Map<number, Cut[]>();
  /** Number of the first cut that concerns an order, of those that have begun since the first cut. */
  readonly #begun = new Map<number, number>();
  #next = 0;

  /** Coins with a position that became smaller. */
  get assets(): Iterable<number> {
    return this.#cuts.keys();
  }

  /** @param held what is left of the position, coins */
  note(asset: number, held: Decimal): void {
    const cuts = this.#cuts.get(asset) ?? [];
    while (cuts.at(-1)?.held.gte(held)) cuts.pop();
    cuts.push({ number: this.#next, held, rough: held.toNumber() });
    this.#cuts.set(asset, cuts);
    this.#next += 1;
  }

  /** An order waits for the mark from now on. */
  begin(oid: number): void {
    if (this.#next > 0) this.#begun.set(oid, this.#next);
  }

  /** The order's size if it is cut; undefined when it stays as it is. */
  sizeOf(order: WaitingOrder): Decimal | undefined {
    if (!followsPosition(order)) return undefined;
    const from = this.#begun.get(order.oid) ?? 0;
    const cut = this.#cuts.get(order.asset)?.find(({ number }) => number >= from);
    if (cut === undefined || cut.rough > Number(order.size) || cut.held.gte(order.size)) return undefined;
    return cut.held;
  }
}
