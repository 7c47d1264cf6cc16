// Reads the entries of an account that follows an address, and puts beside each fill of the address what was filled here for it. Fills of an
// order that has a copy go by the copy's fills; others by the orders at the market that were sent for them.
import type { AccountEntry } from '../../../actors/core/messages/entry.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { type Claim, CopyLane, type FillBeside, type Got, nothingGot, OrderLane, type OwnFill } from './causes.ts';

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;
export type RealFill = EventOf<'sourceFilled'>;

/** One fill of the address. */
export interface FollowedFill {
  readonly real: RealFill;
  /** The entry in which it was heard. */
  readonly seq: number;
  readonly heardMs: number;
  readonly byOrder: Got;
  readonly byCopy: Got;
  /** Where it is a matter of a copy, as far as it is. */
  readonly copied: { readonly copy: Copy; readonly claim: Readonly<Claim> } | 'unread' | undefined;
  /** Why the order for it did nothing. */
  text: string | undefined;
}

/** A copy of an order of the address, while it is followed. */
interface Copy {
  readonly lane: CopyLane;
  isOver: boolean;
}

/** An order of the address without a copy, or the part of one from before its copy. */
interface Crossing {
  readonly lane: OrderLane;
  /** Fills that the next orders are for, or that the last ones were for, where nothing of them was put off. */
  run: FollowedFill[];
  isOrdered: boolean;
}

export class FollowedAddress {
  readonly #scale: Decimal;
  #fills: FollowedFill[] = [];
  #unclaimedUsd = ZERO;
  /** By the venue's number of the order. */
  readonly #copies = new Map<number, Copy>();
  readonly #crossings = new Map<number, Crossing>();
  /** By the number of the copy here; before the account follows, those of the import. */
  readonly #byOid = new Map<number, Copy>();
  #importedAtMs: number | undefined;
  /** Of the entry that is being read: fills of orders that are no copies so far, and which have ended. */
  #filled = new Map<number, OwnFill[]>();
  #ended = new Set<number>();

  /** @param scale what sizes of the address are multiplied by */
  constructor(scale: Decimal) {
    this.#scale = scale;
  }

  /** In the order in which they were heard. */
  get fills(): readonly FollowedFill[] {
    return this.#fills;
  }

  /** Fills of copies that no fill of the address has claimed so far, USD. */
  get unclaimedUsd(): Decimal {
    return [...this.#copies.values()].reduce((sum, { lane }) => sum.plus(lane.unclaimedUsd), this.#unclaimedUsd);
  }

  add(entry: AccountEntry): void {
    this.#filled = new Map();
    this.#ended = new Set();
    for (const event of entry.events) this.#take(event, entry);
  }

  /** The fill with all that has been read so far. */
  compared(fill: FollowedFill): FillBeside {
    const { real, byOrder, byCopy, copied } = fill;
    const { side, price, size, fee, touchPrice, markPrice } = real;
    return {
      ...{ side, byOrder, byCopy, realPrice: new Decimal(price) },
      scaledSize: this.#scale.times(size),
      scaledFee: this.#scale.times(fee),
      touch: touchPrice === undefined ? undefined : new Decimal(touchPrice),
      mark: markPrice === undefined ? undefined : new Decimal(markPrice),
      waiting: typeof copied === 'object' && !copied.copy.isOver ? copied.claim.left : ZERO,
    };
  }

  #take(event: AccountEvent, entry: AccountEntry): void {
    switch (event.type) {
      case 'imported':
        this.#importedAtMs = event.takenAtMs;
        for (const [oid] of event.orders) this.#byOid.set(oid, newCopy());
        break;
      case 'followBegun':
        this.#begin(event);
        break;
      case 'followEnded':
        this.#end();
        break;
      case 'accountReset':
        this.#end();
        this.#fills = [];
        this.#unclaimedUsd = ZERO;
        break;
      case 'sourceOrderSeen':
        this.#see(event);
        break;
      case 'sourceOrderEnded':
        markOver(this.#copies.get(event.sourceOid));
        break;
      case 'sourceFilled':
        this.#hear(event, entry);
        break;
      case 'sourceTaken':
        this.#settle(event);
        break;
      case 'orderFilled':
        this.#fill(event);
        break;
      case 'orderEnded':
        this.#ended.add(event.order.oid);
        markOver(this.#byOid.get(event.order.oid));
        break;
      default:
    }
  }

  /** Fills that copies of the import have had count where the account follows from the import on. */
  #begin({ sinceMs, orders }: EventOf<'followBegun'>): void {
    const known = new Map(sinceMs === this.#importedAtMs ? this.#byOid : []);
    this.#end();
    for (const [oid, sourceOid] of orders) this.#addCopy(sourceOid, oid, known.get(oid) ?? newCopy());
  }

  /** What copies fill from here on is the user's own matter. */
  #end(): void {
    this.#unclaimedUsd = this.unclaimedUsd;
    for (const copy of this.#copies.values()) copy.isOver = true;
    this.#copies.clear();
    this.#crossings.clear();
    this.#byOid.clear();
    this.#importedAtMs = undefined;
  }

  #addCopy(sourceOid: number, oid: number, copy: Copy): void {
    this.#copies.set(sourceOid, copy);
    this.#byOid.set(oid, copy);
  }

  /** One that crossed here when it was placed has its fills in the same entry before. */
  #see({ sourceOid, oid }: EventOf<'sourceOrderSeen'>): void {
    if (oid === undefined) return;
    const copy = newCopy();
    for (const fill of this.#filled.get(oid) ?? []) copy.lane.offer(fill);
    copy.isOver = this.#ended.has(oid);
    this.#addCopy(sourceOid, oid, copy);
  }

  #hear(real: RealFill, { seq, timeMs: heardMs }: AccountEntry): void {
    const { sourceOid, taken } = real;
    const [byOrder, byCopy] = [nothingGot(), nothingGot()];
    const fill = { real, seq, heardMs, byOrder, byCopy, copied: this.#claimed(real, byCopy), text: undefined };
    this.#fills.push(fill);
    const crossed = this.#scale.times(taken);
    if (crossed.isZero()) return;
    const crossing = this.#crossings.get(sourceOid) ?? { lane: new OrderLane(), run: [], isOrdered: false };
    this.#crossings.set(sourceOid, crossing);
    crossing.lane.claim(byOrder, crossed);
    crossing.run = crossing.isOrdered ? [fill] : [...crossing.run, fill];
    crossing.isOrdered = false;
  }

  #claimed({ sourceOid, size, taken }: RealFill, got: Got): FollowedFill['copied'] {
    const ofCopy = new Decimal(size).minus(taken);
    if (ofCopy.isZero()) return undefined;
    const copy = this.#copies.get(sourceOid);
    return copy === undefined ? 'unread' : { copy, claim: copy.lane.claim(got, this.#scale.times(ofCopy)) };
  }

  #settle({ sourceOid, size, oid, text }: EventOf<'sourceTaken'>): void {
    const crossing = this.#crossings.get(sourceOid);
    if (crossing === undefined) return;
    const fills = oid === undefined ? [] : (this.#filled.get(oid) ?? []);
    this.#unclaimedUsd = this.#unclaimedUsd.plus(crossing.lane.settle(new Decimal(size), fills));
    for (const fill of crossing.run) fill.text = text;
    crossing.isOrdered = !new Decimal(size).isZero();
  }

  #fill({ oid, price, size, fee }: EventOf<'orderFilled'>): void {
    const fill = { price: new Decimal(price), size: new Decimal(size), fee: new Decimal(fee) };
    const copy = this.#byOid.get(oid);
    if (copy === undefined) this.#filled.set(oid, [...(this.#filled.get(oid) ?? []), fill]);
    else copy.lane.offer(fill);
  }
}

const newCopy = (): Copy => ({ lane: new CopyLane(), isOver: false });

function markOver(copy: Copy | undefined): void {
  if (copy !== undefined) copy.isOver = true;
}
