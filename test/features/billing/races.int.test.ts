import { expect } from 'chai';
import fc from 'fast-check';
import { releaseLostDiscounts } from '../../../src/features/billing/discounts.ts';
import { pollInvoices } from '../../../src/features/billing/invoicePoll.ts';
import { changePlans, makeRenewals } from '../../../src/features/billing/renewals.ts';
import { cancelSubscription, subscribe } from '../../../src/features/billing/subscribe.ts';
import { type BillingParts, createBilling } from '../../../src/shared/billing/billing.ts';
import type { Invoice } from '../../../src/shared/billing/invoiceStore.ts';
import { applyPayment, grantPlan, takeBackPayment } from '../../../src/shared/billing/payments.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { monthsOf } from '../../../src/shared/domain/billing/subscription.ts';
import { addMonths } from '../../../src/shared/domain/calendar.ts';
import { RetryableError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import type { AuditRow } from '../../../src/shared/mongo/auditLog.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../support/formats.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { useStores } from '../../support/useStores.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-22T10:00:00Z');
const STORES = ['users', 'subscriptions', 'invoices', 'discounts', 'provider', 'audit'] as const;
/** End of what an operator grants: later than what any month that is paid for here begins with. */
const GRANTED_UNTIL_MS = NOW + 40 * 24 * HOUR_MS;
const PAID_UNTIL_MS = NOW + 3 * 24 * HOUR_MS;

/** One request of a user at the same time as the others. */
type Act =
  | { readonly kind: 'subscribe'; readonly user: number; readonly plan: 'basic' | 'pro'; readonly period: 'month' | 'year' }
  | { readonly kind: 'pay' | 'cancel' | 'dispute' | 'refund' | 'grant'; readonly user: number }
  | { readonly kind: 'poll' }
  | { readonly kind: 'renew' }
  | { readonly kind: 'changePlans' };

/** An act and the number of its calls to stores after which its process dies; undefined = it lives. */
type Mortal = { readonly act: Act; readonly diesAfter: number | undefined };

class Died extends Error {}

/** Each call to a store or the provider waits for its turn, which the scheduler draws. A process that has died makes no further call. */
function scheduled(billing: BillingParts, scheduler: fc.Scheduler, diesAfter = Number.POSITIVE_INFINITY): BillingParts {
  let calls = 0;
  const gate = async (call: string): Promise<void> => {
    calls += 1;
    if (calls > diesAfter) throw new Died();
    await scheduler.schedule(Promise.resolve(), call);
  };
  return { ...billing, ...Object.fromEntries(STORES.map((name) => [name, gatedCalls(billing[name], name, gate)])) };
}

describe('changes of billing state that come at once, in every order of their steps', () => {
  const stores = useStores();
  let redis: Redis;
  let mongo: MongoConnection;
  let nowMs = NOW;
  let lives = 0;
  /** Users who were granted a plan; `maybe` when the process died over it. */
  const grants = new Map<string, 'done' | 'maybe'>();

  before(async () => {
    redis = connectRedis({ url: stores.redis.url, name: 'races', log: createLogger({ level: 'silent', role: 'test' }) });
    mongo = connectMongo({ url: stores.mongo.url, database: 'races', timeoutMs: 60_000 });
  });
  after(async () => {
    redis.disconnect();
    await mongo.close();
  });

  /** @param paid a user whose paid time ends soon, after a change of plan that is due */
  const makeUser = async (billing: BillingParts, id: string, { isPaid }: { isPaid: boolean }): Promise<void> => {
    const paid = {
      ...{ plan: 'pro', billingPeriod: 'month', subscriptionExpiresAt: new Date(PAID_UNTIL_MS) },
      nextPlan: { plan: 'basic', from: new Date(NOW - HOUR_MS) },
    } as const;
    const user = {
      ...{ _id: id, email: `${id}@example.com`, passwordHash: 'x', plan: 'basic', address: `0x${id.padStart(40, '0')}` },
      ...{ createdAt: new Date(NOW), trialExpiresAt: new Date(NOW), subscriptionExpiresAt: null, schema: 1 },
      ...(isPaid && paid),
    } as User;
    expect(await billing.users.insert(user)).to.equal(true);
  };
  const invoicesOf = (users: readonly string[]): Promise<Invoice[]> =>
    mongo.db
      .collection<Invoice>(collections.invoices)
      .find({ userId: { $in: [...users] } })
      .toArray();

  /** The end of the paid time after payments for periods, in their order. */
  const endAfter = (payments: readonly Invoice[], fromMs: number | null): number | null =>
    payments.reduce((endMs: number | null, { paidAt, period }) => {
      const paidAtMs = paidAt?.getTime() ?? 0;
      return addMonths(Math.max(endMs ?? 0, paidAtMs), monthsOf[period]);
    }, fromMs);

  /** Each payment that was taken back has one row, of the time when that was seen. */
  async function requireOneRowEach(invoices: readonly Invoice[]): Promise<void> {
    for (const { _id, userId, status, refundedAt, disputedAt } of invoices) {
      if (status !== 'refunded' && status !== 'disputed') continue;
      const rows = await mongo.db
        .collection<AuditRow>(collections.audit)
        .find({ userId, action: `invoice.${status}` })
        .toArray();
      const times = rows.filter(({ detail }) => detail?.startsWith(_id)).map(({ at }) => at.getTime());
      expect(times, `${status} ${_id}`).to.deep.equal([(status === 'refunded' ? refundedAt : disputedAt)?.getTime()]);
    }
  }

  async function run(act: Act, billing: BillingParts, users: readonly string[], code: string, name: string): Promise<void> {
    if (act.kind === 'poll') return pollInvoices(billing);
    if (act.kind === 'renew') return makeRenewals(billing);
    if (act.kind === 'changePlans') return changePlans(billing);
    const userId = users[act.user % users.length] as string;
    switch (act.kind) {
      case 'subscribe': {
        const { plan, period } = act;
        await subscribe(billing, userId, { plan, period, invoiceId: `inv_${name}`, discountCode: code, confirmsDataLoss: true });
        return;
      }
      case 'pay': {
        const open = await billing.invoices.findOpen(userId);
        if (open?.payment === undefined) return;
        await mongo.db
          .collection<{ _id: string }>(collections.testPayments)
          .updateOne({ _id: open.payment.ref, state: 'open' }, { $set: { state: 'paid' } });
        if ((await billing.provider.look(open.payment.ref)) === 'paid') await applyPayment(billing, open._id, 'test');
        return;
      }
      case 'cancel':
        await cancelSubscription(billing, userId);
        return;
      case 'refund':
      case 'dispute': {
        const [paid] = (await invoicesOf([userId])).filter(({ status }) => status === 'paid');
        const how = act.kind === 'refund' ? 'refunded' : 'disputed';
        if (paid !== undefined) await takeBackPayment(billing, paid._id, { how, seenBy: 'test' });
        return;
      }
      case 'grant':
        if (!grants.has(userId)) grants.set(userId, 'maybe');
        for (let isDone = false; !isDone; ) {
          const user = await billing.users.findById(userId);
          isDone = user === null || (await grantPlan(billing, user, { plan: 'pro', untilMs: GRANTED_UNTIL_MS }));
        }
        grants.set(userId, 'done');
    }
  }

  const user = fc.nat(2);
  const act: fc.Arbitrary<Act> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('subscribe' as const),
        ...{
          user,
          plan: fc.constantFrom('basic' as const, 'pro' as const),
          period: fc.constantFrom('month' as const, 'year' as const),
        },
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('pay' as const), user }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'dispute' as const, 'refund' as const), user }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), user }) },
    { weight: 2, arbitrary: fc.constantFrom<Act>({ kind: 'poll' }, { kind: 'renew' }, { kind: 'changePlans' }) },
  );
  const diesAfter = fc.option(fc.nat(12), { nil: undefined, freq: 3 });

  it('a discount is never used more often than it says, and each payment buys its time once', async () => {
    const life = fc.record({
      users: fc.integer({ min: 1, max: 3 }),
      usesMax: fc.integer({ min: 1, max: 2 }),
      percent: fc.constantFrom(100, 20),
      isPaid: fc.boolean(),
      acts: fc.array(fc.record({ act, diesAfter }), { minLength: 2, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), life, async (scheduler, { users: count, usesMax, percent, isPaid, acts }) => {
        lives += 1;
        nowMs = NOW;
        const plain = createBilling({
          ...{ config: readConfig({}), log: createLogger({ level: 'silent', role: 'test' }), now: () => nowMs },
          ...{ redis, mongo, formats: newestFormats },
        });
        const code = `RACE${lives}`;
        const users = Array.from({ length: count }, (_, i) => `a${lives}${i}`);
        for (const id of users) await makeUser(plain, id, { isPaid });
        const terms = { kind: 'percent', value: percent, appliesTo: 'first', usesMax, expiresAtMs: null } as const;
        await plain.discounts.create({ code, ...terms });

        const begun = acts.map(({ act: one, diesAfter: calls }: Mortal, i) =>
          run(one, scheduled(plain, scheduler, calls), users, code, `${lives}x${i}`),
        );
        const all = Promise.allSettled(begun);
        await scheduler.waitFor(all);
        for (const outcome of await all) {
          const isExpected =
            outcome.status === 'fulfilled' || outcome.reason instanceof RetryableError || outcome.reason instanceof Died;
          if (!isExpected) throw outcome.reason;
        }
        // The poll completes what was left, and ends what is not paid.
        for (let round = 0; round < 3; round++) {
          nowMs += 100 * HOUR_MS;
          await pollInvoices(plain);
          await releaseLostDiscounts(plain);
          await changePlans(plain);
        }

        const invoices = await invoicesOf(users);
        expect(
          invoices.filter(({ status, pollAt }) => status === 'open' || pollAt !== undefined),
          'left undone',
        ).to.deep.equal([]);
        const isTaken = ({ status, appliedAt }: Invoice): boolean =>
          (status === 'disputed' || status === 'refunded') && appliedAt !== null;
        const discounted = invoices.filter((one) => one.discountCode === code && (one.status === 'paid' || isTaken(one)));
        expect(discounted.length, 'discounted payments').to.be.at.most(usesMax);
        expect(new Set(discounted.map(({ userId }) => userId)).size, 'one a user').to.equal(discounted.length);
        const spent = (await plain.discounts.find(code))?.uses ?? [];
        expect(spent.length).to.be.at.most(usesMax);
        const spentOn = new Set(spent.filter(({ isSpent }) => isSpent).map(({ invoiceId }) => invoiceId));
        for (const { _id } of discounted) expect(spentOn.has(_id), `${_id} has its use`).to.equal(true);
        for (const id of users) {
          const after = (await plain.users.findById(id)) as User;
          const own = invoices.filter(({ userId }) => userId === id);
          const paid = own.filter(({ status }) => status === 'paid');
          const inForce = (after.appliedInvoices ?? []).filter((one) => !after.refusedInvoices?.includes(one));
          const paidIds = paid.map(({ _id }) => _id).sort();
          expect([...inForce].sort(), 'what is paid is applied, and nothing else').to.deep.equal(paidIds);
          expect((after.nextPlan?.from.getTime() ?? nowMs) >= nowMs, 'a change of plan that is due is made').to.equal(true);
          const endMs = after.subscriptionExpiresAt?.getTime() ?? null;
          if (grants.get(id) === 'done') expect(endMs, 'nothing takes a grant away').to.be.at.least(GRANTED_UNTIL_MS);
          const isPlain = !grants.has(id) && !own.some(({ status }) => status === 'disputed' || status === 'refunded');
          if (isPlain && paid.every(({ kind }) => kind === 'period')) {
            const bought = inForce.flatMap((one) => own.filter(({ _id }) => _id === one));
            expect(endMs, 'each payment buys its time once').to.equal(endAfter(bought, isPaid ? PAID_UNTIL_MS : null));
          }
          await requireOneRowEach(own);
        }
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});
