// The orders of a followed address, as its follower knows them. The account knows the open ones as well. Some are over.
// The WebSocket does not tell the form of a new one: the follower asks for it.
import type { SourceOpening } from '../../actors/core/messages/importReport.ts';
import type { HeardOfAddress } from './userFrame.ts';

/** Numbers of ended orders that are remembered, for an answer that is older than the end. */
const OVER_MAX = 1000;
/** After an order was filled there its copy has this long: the trade that filled it is still on its way to the books here. */
const FILL_GRACE_MS = 2000;

export class SourceOrders {
  /** New orders whose form is to be asked for. */
  readonly toAsk = new Set<number>();
  /** Open orders of the address that the account knows. */
  readonly #known = new Set<number>();
  readonly #over = new Set<number>();
  readonly #graces = new Set<NodeJS.Timeout>();
  readonly #onOver: (oid: number) => void;

  /** @param onOver the time of a copy is over whose order was filled there */
  constructor(onOver: (oid: number) => void) {
    this.#onOver = onOver;
  }

  stop(): void {
    for (const grace of this.#graces) clearTimeout(grace);
  }

  /** The account knows these open orders, and no others. */
  openAre(oids: readonly number[]): void {
    this.#known.clear();
    this.add(oids);
  }

  add(oids: readonly number[]): void {
    for (const oid of oids) this.#known.add(oid);
  }

  isOver(oid: number): boolean {
    return this.#over.has(oid);
  }

  /** Whether the order is over, and the account takes it for open. */
  isToEnd(oid: number): boolean {
    return this.#over.has(oid) && this.#known.has(oid);
  }

  /** An answer may be older than an end that was heard before: of the order, or of a child. @returns undefined when it is over */
  stillOpen(opening: SourceOpening): SourceOpening | undefined {
    const { order } = opening;
    if (this.#over.has(order.oid)) return undefined;
    const children = order.children?.filter(({ oid }) => !this.#over.has(oid));
    return children === undefined ? opening : { ...opening, order: { ...order, children } };
  }

  /** Notes what was heard of an order. @returns whether the account is to end its copy now */
  endsNow({ oid, state }: Extract<HeardOfAddress, { type: 'order' }>): boolean {
    if (state === 'open') {
      if (!this.#known.has(oid) && !this.#over.has(oid)) this.toAsk.add(oid);
      return false;
    }
    this.#over.add(oid);
    if (this.#over.size > OVER_MAX) for (const oldest of [...this.#over].slice(0, OVER_MAX / 2)) this.#over.delete(oldest);
    this.toAsk.delete(oid);
    if (!this.#known.has(oid)) return false;
    if (state === 'over') return this.#known.delete(oid);
    const grace = setTimeout(() => {
      this.#graces.delete(grace);
      this.#onOver(oid);
    }, FILL_GRACE_MS);
    this.#graces.add(grace);
    return false;
  }
}
