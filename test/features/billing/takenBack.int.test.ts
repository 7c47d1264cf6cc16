import { expect } from 'chai';
import { pollInvoices } from '../../../src/features/billing/invoicePoll.ts';
import { subscribe } from '../../../src/features/billing/subscribe.ts';
import { type BillingParts, createBilling } from '../../../src/shared/billing/billing.ts';
import type { Invoice } from '../../../src/shared/billing/invoiceStore.ts';
import { applyPayment, grantPlan, takeBackPayment } from '../../../src/shared/billing/payments.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import type { User } from '../../../src/shared/mongo/userStore.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { newestFormats } from '../../support/formats.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { useStores } from '../../support/useStores.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const DAY_MS = 86_400_000;
const STORES = ['users', 'subscriptions', 'invoices', 'discounts', 'provider', 'audit', 'keys'] as const;
/** More calls to stores than taking a payment back makes. */
const CALLS = 10;

describe('payments that are given back', () => {
  const stores = useStores();
  let redis: Redis;
  let mongo: MongoConnection;
  let billing: BillingParts;
  let nowMs = NOW;
  let users = 0;

  before(async () => {
    const log = createLogger({ level: 'silent', role: 'test' });
    redis = connectRedis({ url: stores.redis.url, name: 'test', log });
    mongo = connectMongo({ url: stores.mongo.url, database: 'refunds', timeoutMs: 60_000 });
    const shared = { config: readConfig({}), log, now: () => nowMs, redis, mongo, formats: newestFormats };
    billing = createBilling(shared);
  });
  beforeEach(() => {
    nowMs = NOW;
  });
  after(async () => {
    redis.disconnect();
    await mongo.close();
  });

  async function paidUser(): Promise<{ id: string; invoiceId: string }> {
    users += 1;
    const id = `user_${users}`;
    await billing.users.insert({
      ...{
        _id: id,
        email: `${id}@example.com`,
        passwordHash: 'x',
        plan: 'basic',
        address: `0x${String(users).padStart(40, '0')}`,
      },
      ...{ createdAt: new Date(NOW), trialExpiresAt: new Date(NOW), subscriptionExpiresAt: null, schema: 1 },
    });
    const invoiceId = `inv_${users}`;
    await subscribe(billing, id, { plan: 'pro', period: 'month', invoiceId, confirmsDataLoss: true });
    await applyPayment(billing, invoiceId, 'test');
    return { id, invoiceId };
  }
  const userOf = async (id: string): Promise<User> => (await billing.users.findById(id)) as User;
  const invoiceOf = async (id: string): Promise<Invoice> => (await billing.invoices.find(id)) as Invoice;
  const rowsOf = async (id: string): Promise<[string, number][]> => {
    const rows = await billing.audit.page(id, { limit: 99 });
    return rows.flatMap(({ action, at }) => (action === 'invoice.refunded' ? [[action, at.getTime()]] : []));
  };
  /** As a process that dies after so many calls to stores. */
  function mortal(calls: number): BillingParts {
    let left = calls;
    const gate = async (): Promise<void> => {
      left -= 1;
      if (left < 0) throw new Error('died');
    };
    return { ...billing, ...Object.fromEntries(STORES.map((name) => [name, gatedCalls(billing[name], name, gate)])) };
  }

  it('leave one row, of the time of the refund, however often it is told', async () => {
    const { id, invoiceId } = await paidUser();
    nowMs = NOW + 3 * DAY_MS;
    await takeBackPayment(billing, invoiceId, { how: 'refunded', seenBy: 'operator' });
    nowMs += DAY_MS;
    await takeBackPayment(billing, invoiceId, { how: 'refunded', seenBy: 'provider:stripe' });
    expect(await rowsOf(id)).to.deep.equal([['invoice.refunded', NOW + 3 * DAY_MS]]);
    expect((await userOf(id)).subscriptionExpiresAt?.getTime()).to.equal(NOW + 3 * DAY_MS);
  });

  it('by a process that dies between two steps: the poll does the rest', async () => {
    for (let calls = 0; calls < CALLS; calls++) {
      const { id, invoiceId } = await paidUser();
      nowMs = NOW + DAY_MS;
      const asked = { how: 'refunded', seenBy: 'provider:stripe' } as const;
      const outcome = await takeBackPayment(mortal(calls), invoiceId, asked).catch(({ message }: Error) => message);
      nowMs += DAY_MS;
      await pollInvoices(billing);
      const { status, refundedAt, pollAt } = await invoiceOf(invoiceId);
      const isNoted = calls > 0;
      expect([status, pollAt], `${calls} calls, ${outcome}`).to.deep.equal([isNoted ? 'refunded' : 'paid', undefined]);
      expect(refundedAt?.getTime()).to.equal(isNoted ? NOW + DAY_MS : undefined);
      expect(await rowsOf(id)).to.deep.equal(isNoted ? [['invoice.refunded', NOW + DAY_MS]] : []);
      expect((await userOf(id)).refusedInvoices ?? []).to.deep.equal(isNoted ? [invoiceId] : []);
      nowMs = NOW;
    }
  });

  it('take nothing of what an operator granted in place of what they bought', async () => {
    const { id, invoiceId } = await paidUser();
    const untilMs = NOW + 90 * DAY_MS;
    expect(await grantPlan(billing, await userOf(id), { plan: 'pro', untilMs })).to.equal(true);
    await takeBackPayment(billing, invoiceId, { how: 'refunded', seenBy: 'operator' });
    const { plan, subscriptionExpiresAt } = await userOf(id);
    expect([plan, subscriptionExpiresAt?.getTime()]).to.deep.equal(['pro', untilMs]);
  });

  it('a grant that stands already is done', async () => {
    const { id } = await paidUser();
    const grant = async (): Promise<boolean> => grantPlan(billing, await userOf(id), { plan: 'pro', untilMs: NOW + DAY_MS });
    expect([await grant(), await grant()]).to.deep.equal([true, true]);
  });
});
