import { expect } from 'chai';
import type { Invoice } from '../../src/shared/billing/invoiceStore.ts';
import type { TestPayment } from '../../src/shared/billing/testPayments.ts';
import { addMonths } from '../../src/shared/domain/calendar.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Payments under way when the processes are killed. */
const PAYERS = 6;

describe('payments while API and jobs are killed', function () {
  this.timeout(600_000);
  let stack: Stack;

  before(async () => {
    stack = await startStack({ jobs: 1, env: { INVOICE_POLL_INTERVAL_MS: '300' } });
  });
  after(() => stack.stop());

  const subscribe = async ({ token }: TestAccount): Promise<{ id: string; pay_url: string }> => {
    const response = await fetch(`${stack.baseUrl}/v1/billing/subscribe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ plan: 'pro', period: 'month' }),
    });
    expect(response.status).to.equal(200);
    return (await response.json()) as { id: string; pay_url: string };
  };
  const invoices = () => stack.mongo.db.collection<Invoice>(collections.invoices);

  it('what was paid extends once and is credited once, what was not stays open', async () => {
    const accounts = await Promise.all(Array.from({ length: PAYERS }, () => stack.register()));
    const made = await Promise.all(accounts.map(async (account) => ({ account, invoice: await subscribe(account) })));

    const paying = made.map(({ invoice }) => fetch(invoice.pay_url, { method: 'POST' }).catch((error: Error) => error));
    await until(async () => (await invoices().countDocuments({ status: 'paid' })) > 0);
    await Promise.all([stack.kill('api-0'), stack.kill('jobs-0')]);
    await Promise.all(paying);
    const payments = stack.mongo.db.collection<TestPayment>(collections.testPayments);
    const paid = new Set((await payments.find({ state: 'paid' }).toArray()).map(({ invoiceId }) => invoiceId));
    expect(paid.size).to.be.greaterThan(0);

    await Promise.all([stack.restart('api-0'), stack.restart('jobs-0')]);
    await stack.waitHealthy();
    await until(async () => (await invoices().countDocuments({ appliedAt: { $ne: null } })) === paid.size);

    for (const { account, invoice } of made) {
      const user = await stack.mongo.db.collection<User>(collections.users).findOne({ _id: account.userId });
      const { marginSummary } = await stack.ask(account.apiKey, { type: 'clearinghouseState' });
      if (!paid.has(invoice.id)) {
        expect(user?.subscriptionExpiresAt).to.equal(null);
        continue;
      }
      const paidAtMs = (await invoices().findOne({ _id: invoice.id }))?.paidAt?.getTime() ?? 0;
      expect(user?.appliedInvoices).to.deep.equal([invoice.id]);
      expect(user?.subscriptionExpiresAt?.getTime()).to.equal(addMonths(paidAtMs, 1));
      expect(Number(marginSummary.accountValue)).to.equal(100_000);
    }
  });
});
