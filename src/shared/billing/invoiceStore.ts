// Invoices in MongoDB. An invoice changes its status only from the one that the caller expects, so of two changes at
// once the second one fails. A user has one open invoice, which a unique index guarantees.
import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { PaidPeriod } from '../domain/billing/subscription.ts';
import type { InvoiceKind } from '../domain/billing/terms.ts';
import type { Plan } from '../domain/plan.ts';
import { collections, durable, isDuplicate, type MongoConnection } from '../mongo/mongo.ts';
import { makeOnce } from '../waiting.ts';

/** `disputed`: the payer's bank has taken the payment back. */
export type InvoiceStatus = 'open' | 'paid' | 'expired' | 'void' | 'refunded' | 'disputed';

export interface Invoice {
  /** `inv_…` */
  readonly _id: string;
  readonly userId: string;
  readonly status: InvoiceStatus;
  readonly kind: InvoiceKind;
  readonly plan: Plan;
  readonly period: PaidPeriod;
  /** The amount to pay, cents: the price less the discount. */
  readonly amountCents: number;
  readonly discountCents: number;
  readonly discountCode?: string;
  /** For `lift` and `anew`: the end of the paid time that the price was made for. */
  readonly paidUntil?: Date;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly paidAt: Date | null;
  /** When its payment was seen to be given back, or disputed: written before all that follows from that. */
  readonly refundedAt?: Date;
  readonly disputedAt?: Date;
  /** When all that follows from the payment was done; null while a paid invoice waits for that. */
  readonly appliedAt: Date | null;
  /** The payment at the provider; absent until the provider has accepted it. */
  readonly payment?: InvoicePayment;
  /** The user, while it is open: unique. */
  readonly openFor?: string;
  /** `<user>:<end of the paid time, ms>` of an invoice made for the next period: unique. */
  readonly renewalOf?: string;
  /** When the poll looks at the invoice next; absent when nothing is left to do. */
  readonly pollAt?: Date;
  /** How often the provider has been asked. */
  readonly polls: number;
  readonly schema: 1;
}

export interface InvoicePayment {
  /** The provider's name for the payment. */
  readonly ref: string;
  /** Absolute, or a path below this API. */
  readonly payUrl: string;
  /** Counts from 1: a provider may end a payment before the invoice ends. */
  readonly attempt: number;
}

/** `first`: this call has inserted it. `known`: its id exists. `other`: the user has another open invoice, or its renewal existed. */
export type Inserted = 'first' | 'known' | 'other';

const TAKEN_BACK_AT = { refunded: 'refundedAt', disputed: 'disputedAt' } as const;

/** How an invoice's payment was taken back, and what follows is not done yet; undefined when nothing is left. */
export function takenBackUndone({ status, refundedAt, disputedAt }: Invoice): 'refunded' | 'disputed' | undefined {
  if (refundedAt !== undefined && status !== 'refunded') return 'refunded';
  return disputedAt !== undefined && status !== 'disputed' && status !== 'refunded' ? 'disputed' : undefined;
}

export class InvoiceStore {
  readonly #invoices: Collection<Invoice>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#invoices = mongo.db.collection<Invoice>(collections.invoices, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#invoices.createIndexes([
        { key: { openFor: 1 }, unique: true, sparse: true },
        { key: { renewalOf: 1 }, unique: true, sparse: true },
        { key: { userId: 1, createdAt: -1, _id: -1 } },
        { key: { status: 1, createdAt: -1, _id: -1 } },
        { key: { createdAt: -1, _id: -1 } },
        { key: { pollAt: 1 }, sparse: true },
      ]),
    );
  }

  async insert(invoice: Invoice): Promise<Inserted> {
    await this.#ensureIndexes();
    try {
      await this.#invoices.insertOne(invoice);
      return 'first';
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return (await this.find(invoice._id)) === null ? 'other' : 'known';
    }
  }

  find(id: string): Promise<Invoice | null> {
    return this.#invoices.findOne({ _id: id });
  }

  findOpen(userId: string): Promise<Invoice | null> {
    return this.#invoices.findOne({ openFor: userId });
  }

  /** Those of the given discount uses that have an invoice. */
  async renewalsAmong(renewals: string[]): Promise<Set<string | undefined>> {
    const found = this.#invoices.find({ renewalOf: { $in: renewals } }, { projection: { renewalOf: 1 } });
    return new Set((await found.toArray()).map(({ renewalOf }) => renewalOf));
  }

  /**
   * A user's invoices, newest first.
   * @param before the last one of the page before; invoices made meanwhile do not move the pages
   */
  page(userId: string, wanted: { limit: number; before?: Pick<Invoice, '_id' | 'createdAt'> }): Promise<Invoice[]> {
    return this.pageOfAll({ userId, ...wanted });
  }

  /**
   * Invoices of all users, newest first.
   * @param before as for `page`
   */
  async pageOfAll(wanted: {
    limit: number;
    status?: InvoiceStatus | undefined;
    userId?: string | undefined;
    before?: Pick<Invoice, '_id' | 'createdAt'> | undefined;
  }): Promise<Invoice[]> {
    await this.#ensureIndexes();
    const { limit, status, userId, before } = wanted;
    return this.#invoices
      .find({ ...(status && { status }), ...(userId !== undefined && { userId }), ...belowOf(before) })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Invoices with something left to do, those that wait longest first. */
  due(now: Date, limit: number): Promise<Invoice[]> {
    return this.#invoices
      .find({ pollAt: { $lte: now } })
      .sort({ pollAt: 1 })
      .limit(limit)
      .toArray();
  }

  /** Changes an invoice that has one of these statuses. Returns false when it has another status. */
  async #change(id: string, from: readonly InvoiceStatus[], update: UpdateFilter<Invoice>): Promise<boolean> {
    const { modifiedCount } = await this.#invoices.updateOne({ _id: id, status: { $in: [...from] } }, update);
    return modifiedCount === 1;
  }

  /** Records that money has come. An expired or void invoice becomes paid too, so that no money is kept for nothing. */
  pay(id: string, at: Date): Promise<boolean> {
    return this.#change(id, ['open', 'expired', 'void'], {
      $set: { status: 'paid', paidAt: at, pollAt: at },
      $unset: { openFor: '' },
    });
  }

  /** The poll looks at the invoice again, to release its discount. */
  closeUnpaid(id: string, status: 'expired' | 'void', at: Date): Promise<boolean> {
    return this.#change(id, ['open'], { $set: { status, pollAt: at }, $unset: { openFor: '' } });
  }

  refund(id: string): Promise<boolean> {
    return this.#change(id, ['paid'], { $set: { status: 'refunded' }, $unset: { pollAt: '' } });
  }

  /**
   * Notes when a payment was taken back, once; the poll looks at the invoice until all that follows is done.
   * @returns the invoice as it is now
   */
  async noteTakenBack(id: string, how: 'refunded' | 'disputed', at: Date): Promise<Invoice | null> {
    const field = TAKEN_BACK_AT[how];
    await this.#invoices.updateOne(
      { _id: id, status: { $ne: how }, [field]: { $exists: false } },
      { $set: { [field]: at, pollAt: at } },
    );
    return this.find(id);
  }

  /** Records that the payment was taken back; also one that had not been seen yet. A refund may follow a dispute. */
  takenBack(id: string, status: 'refunded' | 'disputed'): Promise<boolean> {
    const from: readonly InvoiceStatus[] = [
      'open',
      'paid',
      'expired',
      'void',
      ...(status === 'refunded' ? ['disputed' as const] : []),
    ];
    return this.#change(id, from, { $set: { status }, $unset: { pollAt: '', openFor: '' } });
  }

  applied(id: string, at: Date): Promise<boolean> {
    return this.#change(id, ['paid'], { $set: { appliedAt: at }, $unset: { pollAt: '' } });
  }

  done(id: string): Promise<boolean> {
    return this.#change(id, ['expired', 'void'], { $unset: { pollAt: '' } });
  }

  /** Nothing is left to do for an invoice as it was read. */
  async settled({ _id, pollAt }: Invoice): Promise<void> {
    if (pollAt !== undefined) await this.#invoices.updateOne({ _id, pollAt }, { $unset: { pollAt: '' } });
  }

  /** Records the payment that the provider has accepted, the first or a further one; its attempt must be the next one. */
  async begun(id: string, payment: InvoicePayment): Promise<void> {
    const before = payment.attempt === 1 ? { payment: { $exists: false } } : { 'payment.attempt': payment.attempt - 1 };
    await this.#invoices.updateOne({ _id: id, ...before }, { $set: { payment } });
  }

  /** Counts a look at the provider and says when the next one is. */
  async lookedAt(id: string, next: Date): Promise<void> {
    await this.#invoices.updateOne({ _id: id, status: 'open' }, { $set: { pollAt: next }, $inc: { polls: 1 } });
  }

  /** Sets the next look at an invoice whose handling failed. */
  async later({ _id, pollAt }: Invoice, next: Date): Promise<void> {
    if (pollAt !== undefined) await this.#invoices.updateOne({ _id, pollAt }, { $set: { pollAt: next } });
  }
}

const belowOf = (before: Pick<Invoice, '_id' | 'createdAt'> | undefined): Filter<Invoice> =>
  before === undefined
    ? {}
    : { $or: [{ createdAt: { $lt: before.createdAt } }, { createdAt: before.createdAt, _id: { $lt: before._id } }] };
