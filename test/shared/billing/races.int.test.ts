import { expect } from 'chai';
import fc from 'fast-check';
import { applyPayment } from '../../../src/shared/billing/applyPayment.ts';
import type { BillingParts } from '../../../src/shared/billing/billingParts.ts';
import { cancelSubscription } from '../../../src/shared/billing/cancelSubscription.ts';
import { createBilling } from '../../../src/shared/billing/createBilling.ts';
import { pollInvoices } from '../../../src/shared/billing/pollInvoices.ts';
import type { Invoice } from '../../../src/shared/billing/stores/invoiceStore.ts';
import { releaseLostDiscounts } from '../../../src/shared/billing/stores/releaseLostDiscounts.ts';
import { subscribe } from '../../../src/shared/billing/subscribe.ts';
import { takeBackPayment } from '../../../src/shared/billing/takeBackPayment.ts';
import { readConfig } from '../../../src/shared/config.ts';
import { RetryableError } from '../../../src/shared/errors.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../support/formats.ts';
import { scheduledCalls } from '../../support/scheduledCalls.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-22T10:00:00Z');
const STORES = ['users', 'subscriptions', 'invoices', 'discounts', 'provider'] as const;

/** What one request of a user does at once with the others. */
type Act =
  | { readonly kind: 'subscribe'; readonly user: number; readonly plan: 'basic' | 'pro'; readonly period: 'month' | 'year' }
  | { readonly kind: 'pay' | 'cancel' | 'dispute'; readonly user: number }
  | { readonly kind: 'poll' };

/** Each call to a store or the provider waits for its turn, which the scheduler draws. */
function scheduled(billing: BillingParts, scheduler: fc.Scheduler): BillingParts {
  return { ...billing, ...Object.fromEntries(STORES.map((name) => [name, scheduledCalls(billing[name], name, scheduler)])) };
}

describe('changes of billing state that come at once, in every order of their steps', () => {
  let stores: { redis: Store; mongo: Store };
  let redis: Redis;
  let mongo: MongoConnection;
  let nowMs = NOW;
  let lives = 0;

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
    redis = connectRedis({ url: stores.redis.url, name: 'races', log: createLogger({ level: 'silent', role: 'test' }) });
    mongo = connectMongo({ url: stores.mongo.url, database: 'races', timeoutMs: 60_000 });
  });
  after(async () => {
    redis.disconnect();
    await mongo.close();
    await Promise.all([stores.redis.stop(), stores.mongo.stop()]);
  });

  const makeUser = async (billing: BillingParts, id: string): Promise<void> => {
    const user: User = {
      ...{ _id: id, email: `${id}@example.com`, passwordHash: 'x', plan: 'basic', address: `0x${id.padStart(40, '0')}` },
      ...{ createdAt: new Date(NOW), trialExpiresAt: new Date(NOW), subscriptionExpiresAt: null, schema: 1 },
    };
    expect(await billing.users.insert(user)).to.equal(true);
  };
  const invoicesOf = (users: readonly string[]): Promise<Invoice[]> =>
    mongo.db
      .collection<Invoice>(collections.invoices)
      .find({ userId: { $in: [...users] } })
      .toArray();

  async function run(act: Act, billing: BillingParts, users: readonly string[], code: string, name: string): Promise<void> {
    if (act.kind === 'poll') return pollInvoices(billing);
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
      case 'dispute': {
        const [paid] = (await invoicesOf([userId])).filter(({ status }) => status === 'paid');
        if (paid !== undefined) await takeBackPayment(billing, paid._id, { how: 'disputed', seenBy: 'test' });
      }
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
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'dispute' as const), user }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'poll' as const }) },
  );

  it('a discount is never used more often than it says, and each payment buys its time once', async () => {
    const life = fc.record({
      users: fc.integer({ min: 1, max: 3 }),
      usesMax: fc.integer({ min: 1, max: 2 }),
      percent: fc.constantFrom(100, 20),
      acts: fc.array(act, { minLength: 2, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), life, async (scheduler, { users: count, usesMax, percent, acts }) => {
        lives += 1;
        nowMs = NOW;
        const plain = createBilling({
          ...{ config: readConfig({}), log: createLogger({ level: 'silent', role: 'test' }), now: () => nowMs },
          ...{ redis, mongo, formats: newestFormats },
        });
        const code = `RACE${lives}`;
        const users = Array.from({ length: count }, (_, i) => `a${lives}${i}`);
        for (const id of users) await makeUser(plain, id);
        const terms = { kind: 'percent', value: percent, appliesTo: 'first', usesMax, expiresAtMs: null } as const;
        await plain.discounts.create({ code, ...terms });

        const billing = scheduled(plain, scheduler);
        const all = Promise.allSettled(acts.map((one, i) => run(one, billing, users, code, `${lives}x${i}`)));
        await scheduler.waitFor(all);
        for (const outcome of await all) {
          if (outcome.status === 'rejected' && !(outcome.reason instanceof RetryableError)) throw outcome.reason;
        }
        // The poll completes what was left, and ends what is not paid.
        for (let round = 0; round < 3; round++) {
          nowMs += 25 * HOUR_MS;
          await pollInvoices(plain);
          await releaseLostDiscounts(plain);
        }

        const invoices = await invoicesOf(users);
        const discounted = invoices.filter(({ status, appliedAt, discountCode }) => {
          return discountCode === code && (status === 'paid' || (status === 'disputed' && appliedAt !== null));
        });
        expect(discounted.length, 'discounted payments').to.be.at.most(usesMax);
        expect(new Set(discounted.map(({ userId }) => userId)).size, 'one a user').to.equal(discounted.length);
        const spent = (await plain.discounts.find(code))?.uses ?? [];
        expect(spent.length).to.be.at.most(usesMax);
        const spentOn = new Set(spent.filter(({ isSpent }) => isSpent).map(({ invoiceId }) => invoiceId));
        for (const { _id } of discounted) expect(spentOn.has(_id), `${_id} has its use`).to.equal(true);
        expect(invoices.some(({ status }) => status === 'open')).to.equal(false);
        for (const id of users) {
          const after = await plain.users.findById(id);
          const own = invoices.filter(({ userId }) => userId === id);
          const paid = own.filter(({ status }) => status === 'paid').map(({ _id }) => _id);
          const inForce = (after?.appliedInvoices ?? []).filter((one) => !after?.refusedInvoices?.includes(one));
          expect([...inForce].sort(), 'what is paid is applied, and nothing else').to.deep.equal(paid.sort());
          if (paid.length === 0 && !own.some(({ status }) => status === 'disputed')) {
            expect(after?.subscriptionExpiresAt).to.equal(null);
          }
        }
      }),
      { numRuns: 80, endOnFailure: true },
    );
  });
});
