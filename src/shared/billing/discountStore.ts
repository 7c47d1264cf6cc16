// Discount codes in MongoDB: one document per code with all of its uses, changed as a whole and only from the version
// that was read. So fifty requests for the last use are decided one after the other, whichever node they reach.

import type { Collection } from 'mongodb';
import {
  type Discount,
  type DiscountRefusal,
  type DiscountUse,
  discountFault,
  releaseUse,
  spendUse,
  type TakeUse,
  takeUse,
} from '../domain/billing/discount.ts';
import { RetryableError } from '../errors.ts';
import { compareAndSet } from '../mongo/compareAndSet.ts';
import { collections, durable, isDuplicate, type MongoConnection } from '../mongo/mongo.ts';
import { makeOnce } from '../waiting.ts';

/** How often a change is tried again when another came first: each time one change has succeeded. */
const TRIES_MAX = 1000;

interface DiscountDocument extends Omit<Discount, 'code' | 'expiresAtMs'> {
  /** The code, upper case. */
  readonly _id: string;
  readonly expiresAt: Date | null;
  /** The number of uses that are taken and not spent; the poll looks after them. */
  readonly unspent: number;
  readonly version: number;
  readonly schema: 1;
}

/** A code in a list. */
export interface DiscountSummary extends Omit<Discount, 'uses'> {
  readonly uses: number;
  /** Of them, those that are taken and not paid with yet. */
  readonly unspent: number;
}

export class DiscountStore {
  readonly #discounts: Collection<DiscountDocument>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#discounts = mongo.db.collection<DiscountDocument>(collections.discounts, durable);
    this.#ensureIndexes = makeOnce(() => this.#discounts.createIndexes([{ key: { 'uses.userId': 1 } }, { key: { unspent: 1 } }]));
  }

  /** @returns false when the code exists already. @throws Error that says what is wrong with it */
  async create(discount: Omit<Discount, 'uses'>): Promise<boolean> {
    const fault = discountFault(discount);
    if (fault !== undefined) throw new Error(fault);
    await this.#ensureIndexes();
    const { code, expiresAtMs, ...rest } = discount;
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs);
    try {
      await this.#discounts.insertOne({ _id: keyOf(code), ...rest, expiresAt, uses: [], unspent: 0, version: 0, schema: 1 });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /** Codes in the order of the alphabet, with the number of their uses. @param after the last code of the page before */
  async page({ after = '', limit }: { after?: string | undefined; limit: number }): Promise<DiscountSummary[]> {
    const counted = { uses: { $size: '$uses' }, kind: 1, value: 1, appliesTo: 1, usesMax: 1, expiresAt: 1, unspent: 1 };
    const steps = [{ $match: { _id: { $gt: after } } }, { $sort: { _id: 1 } }, { $limit: limit }, { $project: counted }];
    const found = await this.#discounts.aggregate<Omit<DiscountDocument, 'uses'> & { readonly uses: number }>(steps).toArray();
    return found.map(({ _id, expiresAt, kind, value, appliesTo, usesMax, uses, unspent }) => ({
      ...{ code: _id, kind, value, appliesTo, usesMax, uses, unspent },
      expiresAtMs: expiresAt?.getTime() ?? null,
    }));
  }

  /**
   * Ends a code: it can no longer be taken; uses taken before stay.
   * @returns false when there is no such code; a second call changes nothing
   */
  async end(code: string, at: Date): Promise<boolean> {
    const _id = keyOf(code);
    const isOpen = { $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }] };
    const { modifiedCount } = await this.#discounts.updateOne(
      { _id, ...isOpen },
      { $set: { expiresAt: at }, $inc: { version: 1 } },
    );
    return modifiedCount === 1 || (await this.#discounts.findOne({ _id }, { projection: { _id: 1 } })) !== null;
  }

  async find(code: string): Promise<Discount | undefined> {
    const found = await this.#discounts.findOne({ _id: keyOf(code) });
    return found === null ? undefined : toDiscount(found);
  }

  /** The codes that the user has reserved for the next invoice: one, or none, or two while one replaces the other. */
  async listReserved(userId: string): Promise<Discount[]> {
    const found = await this.#discounts.find({ uses: { $elemMatch: { userId, invoiceId: null } } }).toArray();
    return found.map(toDiscount);
  }

  /** Codes with uses that are neither spent nor released. */
  async listUnspent(): Promise<Discount[]> {
    return (await this.#discounts.find({ unspent: { $gt: 0 } }).toArray()).map(toDiscount);
  }

  /** Takes a use for a user or an invoice, or says why not. A second call changes nothing. */
  async take(code: string, wanted: TakeUse): Promise<Discount | DiscountRefusal> {
    let refusal: DiscountRefusal = 'unknown';
    const taken = await this.#change(code, (discount) => {
      const uses = takeUse(discount, wanted);
      if (typeof uses !== 'string') return uses;
      refusal = uses;
      return undefined;
    });
    return taken ?? refusal;
  }

  /** Why `take` would refuse now; undefined when it would not. Takes nothing. */
  async refusalOf(code: string, wanted: TakeUse): Promise<DiscountRefusal | undefined> {
    const discount = await this.find(code);
    const uses = discount === undefined ? 'unknown' : takeUse(discount, wanted);
    return typeof uses === 'string' ? uses : undefined;
  }

  /** Spends a use on an invoice. @returns false when the code has none for it; a second call answers the same */
  async spend(code: string, wanted: { userId: string; invoiceId: string; nowMs: number }): Promise<boolean> {
    return (await this.#change(code, (discount) => spendUse(discount, wanted))) !== undefined;
  }

  /** Releases a use that is not spent. @returns false when it is spent: the invoice is being paid */
  async giveBack(code: string, { userId, invoiceId }: Pick<DiscountUse, 'userId' | 'invoiceId'>): Promise<boolean> {
    const changed = await this.#change(code, (discount) => releaseUse(discount, { userId, invoiceId }));
    return changed?.uses.every((use) => use.userId !== userId || use.invoiceId !== invoiceId) ?? true;
  }

  /** @returns undefined when there is no such code, or `uses` gave none */
  async #change(code: string, change: (discount: Discount) => readonly DiscountUse[] | undefined): Promise<Discount | undefined> {
    const busy = () => new RetryableError('Too many want this discount code at once.');
    const { changed } = await compareAndSet({ tries: TRIES_MAX, busy }, async () => {
      const found = await this.#discounts.findOne({ _id: keyOf(code) });
      const uses = found === null ? undefined : change(toDiscount(found));
      if (found === null || uses === undefined) return { changed: undefined };
      const unspent = uses.filter(({ isSpent }) => !isSpent).length;
      const { modifiedCount } = await this.#discounts.updateOne(
        { _id: found._id, version: found.version },
        { $set: { uses, unspent, version: found.version + 1 } },
      );
      return modifiedCount === 1 ? { changed: { ...toDiscount(found), uses } } : undefined;
    });
    return changed;
  }
}

/** Codes are compared without regard to case. */
const keyOf = (code: string): string => code.toUpperCase();

const toDiscount = ({ _id, expiresAt, kind, value, appliesTo, usesMax, uses }: DiscountDocument): Discount => ({
  ...{ code: _id, kind, value, appliesTo, usesMax, uses },
  expiresAtMs: expiresAt?.getTime() ?? null,
});
