// An account during a decision, and the decision that comes of it. A draft shares its maps with the account that it was made from and writes
// to maps of its own: a refused order leaves no trace, and each order of a batch sees the ones before. Events are folded only when the account
// is read, so the last order of a command costs no fold here.
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account, WaitingOrder } from '../account/account.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { followsPosition } from '../account/orderMap.ts';
import { BOTH_SIDES, cutOrder, reducingFor, toView } from '../account/ownOrders.ts';
import { type Fill, fillEvent } from '../fills/fillEvent.ts';
import { RunningMargin } from '../margin/margin.ts';
import { type EntryPlace, tripSumsAfter } from '../margin/roundTrip.ts';
import type { CopiedCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Outcome } from '../messages/queryAnswer.ts';
import { type EvolveSteps, evolve } from './evolve.ts';
import { WritableAccount } from './writableAccount.ts';

/** What was decided and is not folded into the account yet. */
export interface Decided {
  readonly events: readonly AccountEvent[];
}

export interface Decision extends Decided {
  readonly outcome: Outcome;
  /** What the command counts for in `userRateLimit`; goes into its entry. 0 for queries. */
  readonly requests: number;
  /**
   * Outcomes, of all or of one of its elements, that the limits of the API key have brought about: what a key may not do here, it does
   * nowhere else.
   */
  readonly beyondKey?: ReadonlySet<object> | undefined;
  /** What the account's what-ifs get in place of the command: facts about an address mean nothing to them, and orders do. */
  readonly forWhatIfs?: readonly CopiedCommand[] | undefined;
  /** It is no entry while it has no event: a refusal that changes nothing, and is to cost nothing. */
  readonly leavesNoEntry?: true;
}

/** Of a command that costs nothing, and leaves no entry where it changes nothing. */
export const QUIET = { events: [], requests: 0, leavesNoEntry: true } as const;
export const quiet = (events: readonly AccountEvent[]): Decision => ({ ...QUIET, events, outcome: { type: 'done' } });
export const quietRefusal = (text: string): Decision => ({ ...QUIET, outcome: { type: 'refused', text } });

/** The part of a context that a draft needs. */
interface DraftContext {
  readonly nowMs: number;
  readonly pipeline: { readonly evolve: EvolveSteps };
}

/** What is recorded is kept as the decision's events and is part of `account` from then on. */
export class Draft {
  /** Free margin of the account, kept up to date. */
  readonly margin = new RunningMargin();
  readonly #events: AccountEvent[];
  readonly #before: Account;
  readonly #steps: EvolveSteps;
  /** Of the entry that it becomes. */
  readonly timeMs: number;
  #beyondKey: Set<object> | undefined;
  #writable: WritableAccount | undefined;
  #foldedEvents = 0;
  /** How far positions have become smaller while reduce-only orders that wait for the mark have not been cut yet. */
  #cuts: PositionCuts | undefined;

  /** @param begun what was decided of this account before, at the same time */
  constructor(account: Account, { nowMs, pipeline }: DraftContext, begun?: Decided) {
    this.#events = begun ? [...begun.events] : [];
    this.#before = account;
    this.#steps = pipeline.evolve;
    this.timeMs = nowMs;
  }

  /** The account with all that was recorded so far. A waiting reduce-only order in it may still be cut: `current` tells. */
  get account(): Account {
    while (this.#foldedEvents < this.#events.length) {
      this.#writable ??= new WritableAccount({ ...this.#before }, 'overlay');
      const event = this.#events[this.#foldedEvents];
      if (event) this.#fold(this.#writable, event);
      this.#foldedEvents += 1;
    }
    return this.#writable?.account ?? this.#before;
  }

  /** Of the next event. */
  get place(): EntryPlace {
    const { seq, tripSums } = this.#before;
    return { seq: seq + 1, timeMs: this.timeMs, tripSums: tripSumsAfter(tripSums, this.#events) };
  }

  /** What was recorded so far. */
  get events(): readonly AccountEvent[] {
    return this.#events;
  }

  /** All that was recorded, with the cuts of reduce-only orders that are still to be made. */
  get decided(): Decided {
    for (const asset of this.#cuts?.assets ?? []) this.#cutAll(asset);
    this.#cuts = undefined;
    return { events: this.#events };
  }

  /** All that was recorded as the decision of a command. */
  decision(outcome: Outcome, requests: number): Decision {
    const { events } = this.decided;
    return { events, outcome, requests, ...(this.#beyondKey && { beyondKey: this.#beyondKey }) };
  }

  /** The limits of the key have brought about this outcome of an element. */
  noteBeyondKey(outcome: object): void {
    this.#beyondKey ??= new Set();
    this.#beyondKey.add(outcome);
  }

  record(event: AccountEvent): void {
    this.#events.push(event);
  }

  /** Records what was decided of `account` as it stands, cuts included. */
  take({ events }: Decided): void {
    this.#events.push(...events);
  }

  /** Records what lets orders wait for the mark: only later cuts concern them. */
  recordWaiting(event: AccountEvent, oids: readonly number[]): void {
    this.#events.push(event);
    for (const oid of oids) this.#cuts?.begin(oid);
  }

  recordFill(fill: Fill): void {
    this.#events.push(fillEvent(fill, () => this.place));
  }

  /** The coin's reduce-only orders that wait for the mark may not be larger than what is left of its position. */
  cutTo(asset: number, held: Decimal): void {
    this.#cuts ??= new PositionCuts();
    this.#cuts.note(asset, held);
  }

  /** An open order as it stands now: one that waits for the mark is cut to its position. */
  current<Order extends OpenOrder | WaitingOrder>(order: Order): Order {
    const size = 'waitsFor' in order ? this.#cuts?.sizeOf(order) : undefined;
    return size === undefined ? order : cutOrder(order, size);
  }

  #fold(writable: WritableAccount, event: AccountEvent): void {
    evolve(writable, event, this.timeMs, this.#steps);
    this.margin.onChange(coinOf(event));
  }

  /** Oldest first. */
  #cutAll(asset: number): void {
    for (const order of reducingFor(this.account, asset, BOTH_SIDES)) {
      const size = this.#cuts?.sizeOf(order);
      if (size !== undefined) this.record({ type: 'orderResized', order: toView(cutOrder(order, size)) });
    }
  }
}

/** The one coin that the event is about; undefined when it may be about any. */
function coinOf(event: AccountEvent): number | undefined {
  if ('asset' in event) return event.asset;
  return 'order' in event ? event.order.asset : undefined;
}

interface Cut {
  readonly number: number;
  /** Size of the position, coins. */
  readonly held: Decimal;
  readonly rough: number;
}

/**
 * Reduce-only orders that wait for the mark are cut to what is left of their position, each on its own (trading-rules
 * 2.3). Each of a thousand fills of one decision may cut each of a thousand orders, so a decision only notes how small
 * the position became, and cuts an order once: when its size matters, and at the end. An order is cut by what came after
 * it was placed or armed.
 */
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
