// The fields of a user's document that billing changes. Every change is one update, guarded by the values that were
// read before it, so a payment extends a subscription once, however often it is applied.
import type { Collection } from 'mongodb';
import type { PaidPeriod, PlanSubscription } from '../domain/billing/subscription.ts';
import type { Plan } from '../domain/plan.ts';
import { collections, durable, type MongoConnection } from '../mongo/mongo.ts';
import type { BoughtTime, User } from '../mongo/userStore.ts';
import { makeOnce } from '../waiting.ts';

/** Payments that a user's document remembers: an invoice is applied long before so many have followed. */
const APPLIED_KEPT = 100;

/** Clears what the job `trial-expiry` had written; the job writes it again where it still holds. */
const NO_LONGER_EXPIRED = { expiredAt: '', closedAt: '' } as const;

export class SubscriptionStore {
  readonly #users: Collection<User>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#users = mongo.db.collection<User>(collections.users, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#users.createIndexes([{ key: { subscriptionExpiresAt: 1 } }, { key: { 'nextPlan.from': 1 }, sparse: true }]),
    );
  }

  /**
   * Makes a payment's change, once.
   * @param user as read before; must not have changed since
   * @returns false when it has, or when the invoice was applied or refused before
   */
  async apply(
    user: User,
    payment: {
      invoiceId: string;
      period: PaidPeriod;
      subscription: PlanSubscription;
      bought: BoughtTime;
      standingDiscount?: string;
    },
  ): Promise<boolean> {
    const { invoiceId, period, subscription, bought, standingDiscount } = payment;
    const { modifiedCount } = await this.#users.updateOne(
      { ...unchanged(user), appliedInvoices: { $ne: invoiceId }, refusedInvoices: { $ne: invoiceId } },
      {
        $set: {
          ...{ billingPeriod: period, ...fieldsOf(subscription), cancelAtPeriodEnd: false },
          ...(standingDiscount !== undefined && { standingDiscount }),
        },
        $unset: NO_LONGER_EXPIRED,
        $push: {
          appliedInvoices: { $each: [invoiceId], $slice: -APPLIED_KEPT },
          paidTimes: { $each: [bought], $slice: -APPLIED_KEPT },
        },
      },
    );
    return modifiedCount === 1;
  }

  /**
   * Decides that an invoice's payment buys nothing, so that no other process applies it.
   * @returns false when the user has changed since, or the invoice was applied before
   */
  async refuse(user: User, invoiceId: string): Promise<boolean> {
    const { modifiedCount } = await this.#users.updateOne(
      { ...unchanged(user), appliedInvoices: { $ne: invoiceId }, refusedInvoices: { $ne: invoiceId } },
      { $push: { refusedInvoices: { $each: [invoiceId], $slice: -APPLIED_KEPT } } },
    );
    return modifiedCount === 1;
  }

  /**
   * Takes a payment's effect back, once.
   * @returns false when the user has changed since, or it was taken back before
   */
  async reverse(
    user: User,
    {
      invoiceId,
      subscription,
      paidTimes,
    }: { invoiceId: string; subscription: PlanSubscription; paidTimes: readonly BoughtTime[] },
  ): Promise<boolean> {
    const { modifiedCount } = await this.#users.updateOne(
      { ...unchanged(user), refusedInvoices: { $ne: invoiceId } },
      {
        $set: { ...fieldsOf(subscription), paidTimes },
        $push: { refusedInvoices: { $each: [invoiceId], $slice: -APPLIED_KEPT } },
      },
    );
    return modifiedCount === 1;
  }

  /**
   * Sets a subscription without a payment.
   * @param paidTimes what payments bought, where the subscription takes the place of some of it
   * @returns false when the user has changed since
   */
  async set(user: User, subscription: PlanSubscription, paidTimes?: readonly BoughtTime[]): Promise<boolean> {
    const { matchedCount } = await this.#users.updateOne(unchanged(user), {
      $set: { ...fieldsOf(subscription), ...(paidTimes && { paidTimes }) },
      $unset: NO_LONGER_EXPIRED,
    });
    // One that stands already is set.
    return matchedCount === 1;
  }

  async cancelAtPeriodEnd(userId: string): Promise<void> {
    await this.#users.updateOne({ _id: userId }, { $set: { cancelAtPeriodEnd: true } });
  }

  /** Users whose change of plan is due. */
  async withChangeDue(now: Date, limit: number): Promise<User[]> {
    await this.#ensureIndexes();
    return this.#users
      .find({ 'nextPlan.from': { $lte: now } })
      .limit(limit)
      .toArray();
  }

  /** Users who pay by periods, go on, and whose paid time ends between the two times; the first of them, by its end. */
  async endingBetween(after: Date, until: Date, limit: number): Promise<User[]> {
    await this.#ensureIndexes();
    return this.#users
      .find({
        ...{ subscriptionExpiresAt: { $gt: after, $lte: until }, billingPeriod: { $exists: true } },
        cancelAtPeriodEnd: { $ne: true },
      })
      .sort({ subscriptionExpiresAt: 1 })
      .limit(limit)
      .toArray();
  }
}

export const subscriptionOf = ({ plan, nextPlan, subscriptionExpiresAt }: User): PlanSubscription => ({
  plan,
  endMs: subscriptionExpiresAt?.getTime() ?? null,
  ...(nextPlan && { next: { plan: nextPlan.plan, fromMs: nextPlan.from.getTime() } }),
});

const fieldsOf = ({
  plan,
  next,
  endMs,
}: PlanSubscription): { plan: Plan; nextPlan: (User['nextPlan'] & {}) | null; subscriptionExpiresAt: Date | null } => ({
  plan,
  nextPlan: next === undefined ? null : { plan: next.plan, from: new Date(next.fromMs) },
  subscriptionExpiresAt: endMs === null ? null : new Date(endMs),
});

/** A field that is absent and one that is null are the same to MongoDB's equality. */
const unchanged = ({ _id, plan, subscriptionExpiresAt, nextPlan }: User) => ({
  ...{ _id, plan, subscriptionExpiresAt },
  'nextPlan.from': nextPlan?.from ?? null,
});
