// Each act of operators, at a node that is killed after each of its writes. The act's effect is there once, with its rows, and the
// same act at another node completes it.
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Invoice } from '../../src/shared/billing/invoiceStore.ts';
import type { TestPayment } from '../../src/shared/billing/testPayments.ts';
import { type AuditRow, OPERATORS } from '../../src/shared/mongo/auditLog.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { DyingNode } from '../support/faults/dyingNode.ts';
import { type Mark, markedCloid } from '../support/faults/markedOrder.ts';
import { orderAction } from '../support/orderWire.ts';
import { MAIN } from '../support/roleProcess.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const FAILING_ACTORS = ['--import', 'tsx', fileURLToPath(new URL('../support/faults/throwingActors.ts', import.meta.url))];
/** The writes of an operator's act to Redis: commands, wishes, letters, changes of users. */
const REDIS_WRITES = /xadd|hset|xdel|:cmd:/i;
/** More writes than an act has. */
const WRITES_MAX = 30;
/** Accounts that were parked or halted beforehand: more than the writes of what is done to them. */
const HURT = 7;
const LETTER = { requeue: 'command.requeued', drop: 'command.dropped' } as const;
const DAY_MS = 86_400_000;

/** One act on a target of its own. */
interface Act {
  readonly path: string;
  readonly body?: object;
  /** Another operator than in the other acts. */
  readonly by?: TestAccount;
  /** The object in the operators' row; absent for an act without an object. */
  readonly detail?: string;
  /** Whether it has taken effect. */
  readonly isDone: () => Promise<boolean>;
  /** Answers of the same act, asked again: some acts find nothing left to do. */
  readonly again: readonly number[];
  /** The row in the user's own list: exactly one where it took effect, or at least one where a repeated act writes it again. */
  readonly own?: { readonly userId: string; readonly action: string; readonly isOnce: boolean };
  /** The state that has to be true in the end, once. */
  readonly verdict: () => Promise<void>;
}

describe('operators: a node dies after each write of each act', function () {
  this.timeout(900_000);
  let stack: Stack;
  /** One dies while the other starts again. */
  let nodes: DyingNode[];
  let operator: TestAccount;
  const hurt: Record<'lift' | 'requeue' | 'drop', TestAccount[]> = { lift: [], requeue: [], drop: [] };

  before(async () => {
    stack = await startStack({ entries: { actors: FAILING_ACTORS }, env: { SHARDS: '2', LEASE_TTL_MS: '1000' } });
    await setBooks(stack.market);
    operator = await stack.register();
    await users().updateOne({ _id: operator.userId }, { $set: { roles: ['operator'] } });
    expect((await ask(stack.baseUrl, '/v1/admin/confirm', { password: operator.password })).status).to.equal(200);
    for (const [act, mark] of [
      ['lift', 'foldThrows'],
      ['requeue', 'decideThrows'],
      ['drop', 'decideThrows'],
    ] as const) {
      for (let i = 0; i < HURT; i++) hurt[act].push(await hurtAccount(mark));
    }
    // The build whose rules work.
    stack.process('actors-0').entry = [MAIN];
    await stack.restart('actors-0');
    await stack.waitHealthy();
    nodes = [await DyingNode.start(stack, REDIS_WRITES), await DyingNode.start(stack, REDIS_WRITES)];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await stack.stop();
  });

  const users = () => stack.mongo.db.collection<User>(collections.users);
  const invoices = () => stack.mongo.db.collection<Invoice>(collections.invoices);
  const rowsOf = (userId: string) => stack.mongo.db.collection<AuditRow>(collections.audit).find({ userId }).toArray();
  const place = (account: TestAccount, mark?: Mark): Promise<Answer> => {
    const order = { px: '66000', sz: '0.001', tif: 'Ioc' } as const;
    return stack.exchange(account.apiKey, orderAction(BTC.asset, { ...order, ...(mark && { cloid: markedCloid(mark) }) }));
  };
  /** One fill of each order that has filled, through however many levels. */
  const filledOrdersOf = async ({ apiKey, address }: TestAccount): Promise<{ oid: number; cloid?: string }[]> => {
    const fills: { oid: number; cloid?: string }[] = await stack.ask(apiKey, { type: 'userFills', user: address });
    return [...new Map(fills.map((fill) => [fill.oid, fill])).values()];
  };
  const balanceOf = async ({ apiKey }: TestAccount): Promise<number> =>
    Number((await stack.ask(apiKey, { type: 'clearinghouseState' })).marginSummary.accountValue);
  const userOf = async ({ userId }: TestAccount): Promise<User> => (await users().findOne({ _id: userId })) as User;

  async function ask(baseUrl: string, path: string, body?: object, { method = 'POST', by = operator } = {}): Promise<Answer> {
    const headers = { authorization: `Bearer ${by.token}`, ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json(), headers: answer.headers };
  }

  async function hurtAccount(mark: Mark): Promise<TestAccount> {
    const account = await stack.register();
    expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
    expect((await place(account, mark)).status).to.equal(mark === 'foldThrows' ? 503 : 500);
    return account;
  }

  async function lettersOf({ address }: TestAccount): Promise<string[]> {
    const { body } = await ask(stack.baseUrl, '/v1/admin/dead-letters?limit=500', undefined, { method: 'GET' });
    return body.items.filter(({ account }: { account: string }) => account === address).map(({ id }: { id: string }) => id);
  }

  async function invoiceOf(account: TestAccount): Promise<string> {
    await fetch(`${stack.baseUrl}/v1/billing/subscribe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
      body: JSON.stringify({ plan: 'pro', period: 'month' }),
    });
    return (await invoices().findOne({ userId: account.userId }))?._id ?? '';
  }

  /** Kills the node after one write more each time, until the act is through. @returns how often it died */
  async function sweep(prepare: (n: number) => Promise<Act>): Promise<number> {
    for (let writes = 1; writes <= WRITES_MAX; writes++) {
      const node = nodes[writes % nodes.length] as DyingNode;
      const act = await prepare(writes - 1);
      const { path, body, by } = act;
      const hasDied = await node.ask(writes, async (baseUrl) => {
        const answer = await ask(baseUrl, path, body, { by });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      });
      await checkRows(act, hasDied ? 'killed' : 'answered');
      const again = await ask(stack.baseUrl, path, body, { by });
      expect(
        hasDied ? [200, ...act.again] : act.again,
        `${path} again, after ${writes}: ${JSON.stringify(again.body)}`,
      ).to.include(again.status);
      await act.verdict();
      if (!hasDied) return writes - 1;
    }
    throw new Error('an act without an end');
  }

  /** No effect lacks its rows: the operators' is written first of all, and the user's before or by what follows. */
  async function checkRows({ detail, isDone, own }: Act, how: 'killed' | 'answered'): Promise<void> {
    if (how === 'answered') expect(await isDone()).to.equal(true);
    if (detail !== undefined) {
      const noted = (await rowsOf(OPERATORS)).filter((row) => row.detail === detail && row.outcome === 'ok');
      expect(noted.length, detail).to.equal(1);
    }
    if (own === undefined || own.isOnce || !(await isDone())) return;
    const rows = (await rowsOf(own.userId)).filter(({ action, outcome }) => action === own.action && outcome === 'ok');
    expect(rows.length, `${detail}: the user's own`).to.be.at.least(1);
  }

  const ownRows = async (userId: string, action: string): Promise<number> =>
    (await rowsOf(userId)).filter((row) => row.action === action && row.outcome === 'ok').length;

  it('confirmation: no session may act without the row, and one that is confirmed again may', async () => {
    const deaths = await sweep(async (n) => {
      const by = await stack.register();
      await users().updateOne({ _id: by.userId }, { $set: { roles: ['operator'] } });
      const code = { code: `CONFIRMED${n}`, kind: 'percent', value: '20', uses_max: 5 };
      const act = () => ask(stack.baseUrl, '/v1/admin/discounts', code, { by });
      expect((await act()).body.code).to.equal('confirmation_required');
      const sessions = stack.mongo.db.collection(collections.sessions);
      return {
        path: '/v1/admin/confirm',
        body: { password: by.password },
        by,
        isDone: async () => (await sessions.countDocuments({ userId: by.userId, operatorConfirmedAt: { $exists: true } })) > 0,
        again: [200],
        own: { userId: by.userId, action: 'operator.confirmed', isOnce: false },
        verdict: async () => {
          expect((await act()).status).to.equal(200);
        },
      };
    });
    expect(deaths).to.be.within(2, WRITES_MAX - 1);
  });

  it('grant: the plan is given once, its greater balance once', async () => {
    const deaths = await sweep(async () => {
      const account = await stack.register();
      await balanceOf(account);
      const isDone = async (): Promise<boolean> => (await userOf(account)).plan === 'pro';
      return {
        path: `/v1/admin/users/${account.userId}/grant`,
        body: { plan: 'pro', days: 10 },
        detail: `grant ${account.userId} pro 10 days`,
        isDone,
        again: [200],
        own: { userId: account.userId, action: 'plan.changed', isOnce: false },
        verdict: async () => {
          const { subscriptionExpiresAt } = await userOf(account);
          expect((subscriptionExpiresAt?.getTime() ?? 0) - Date.now()).to.be.within(9.9 * DAY_MS, 10 * DAY_MS);
          await until(async () => (await balanceOf(account)) !== 10_000);
          expect(await balanceOf(account)).to.equal(100_000);
        },
      };
    });
    expect(deaths).to.be.within(4, WRITES_MAX - 1);
  });

  it('end of sessions: none goes on', async () => {
    const deaths = await sweep(async () => {
      const account = await stack.register();
      return {
        path: `/v1/admin/users/${account.userId}/end-sessions`,
        detail: `end sessions ${account.userId}`,
        isDone: async () => ((await userOf(account)).tokenGeneration ?? 0) > 0,
        again: [200],
        own: { userId: account.userId, action: 'session.ended', isOnce: false },
        verdict: async () => {
          const me = () => fetch(`${stack.baseUrl}/v1/auth/me`, { headers: { authorization: `Bearer ${account.token}` } });
          await until(async () => (await me()).status === 401);
          expect(await stack.mongo.db.collection(collections.sessions).countDocuments({ userId: account.userId })).to.equal(0);
        },
      };
    });
    expect(deaths).to.be.within(4, WRITES_MAX - 1);
  });

  it('payment of an invoice: applied once, credited once, one row', async () => {
    const deaths = await sweep(async () => {
      const account = await stack.register();
      const id = await invoiceOf(account);
      return {
        path: `/v1/admin/invoices/${id}/pay`,
        detail: `pay ${id}`,
        isDone: async () => (await userOf(account)).appliedInvoices?.includes(id) === true,
        again: [200],
        own: { userId: account.userId, action: 'invoice.paid', isOnce: true },
        verdict: async () => {
          await until(async () => (await invoices().findOne({ _id: id }))?.appliedAt != null);
          expect((await userOf(account)).appliedInvoices).to.deep.equal([id]);
          expect(await ownRows(account.userId, 'invoice.paid')).to.equal(1);
          await until(async () => (await balanceOf(account)) !== 10_000);
          expect(await balanceOf(account)).to.equal(100_000);
        },
      };
    });
    expect(deaths).to.be.within(5, WRITES_MAX - 1);
  });

  it('refund: the time that was paid for ends, the money goes back once, one row', async () => {
    const deaths = await sweep(async () => {
      const account = await stack.register();
      const id = await invoiceOf(account);
      expect((await ask(stack.baseUrl, `/v1/admin/invoices/${id}/pay`, undefined)).status).to.equal(200);
      return {
        path: `/v1/admin/invoices/${id}/refund`,
        detail: `refund ${id}`,
        isDone: async () => (await invoices().findOne({ _id: id }))?.status === 'refunded',
        again: [409],
        own: { userId: account.userId, action: 'invoice.refunded', isOnce: true },
        verdict: async () => {
          expect((await invoices().findOne({ _id: id }))?.status).to.equal('refunded');
          expect((await userOf(account)).subscriptionExpiresAt?.getTime() ?? 0).to.be.at.most(Date.now());
          const payments = stack.mongo.db.collection<TestPayment>(collections.testPayments);
          expect((await payments.find({ invoiceId: id }).toArray()).map(({ state }) => state)).to.deep.equal(['refunded']);
          expect(await ownRows(account.userId, 'invoice.refunded')).to.equal(1);
        },
      };
    });
    expect(deaths).to.be.within(4, WRITES_MAX - 1);
  });

  const codes = () => stack.mongo.db.collection<{ _id: string; expiresAt: Date | null; uses: unknown[] }>(collections.discounts);

  it('discount codes: one is made once, and ended', async () => {
    const made = await sweep(async (n) => ({
      path: '/v1/admin/discounts',
      body: { code: `DYING${n}`, kind: 'percent', value: '20', uses_max: 5 },
      detail: `make code DYING${n} percent 20 5 uses`,
      isDone: async () => (await codes().countDocuments({ _id: `DYING${n}` })) === 1,
      again: [409],
      verdict: async () => {
        expect(await codes().findOne({ _id: `DYING${n}` })).to.deep.include({ value: 20, usesMax: 5, uses: [] } as object);
      },
    }));
    const ended = await sweep(async (n) => {
      const code = `ENDING${n}`;
      await ask(stack.baseUrl, '/v1/admin/discounts', { code, kind: 'percent', value: '20', uses_max: 5 });
      return {
        path: `/v1/admin/discounts/${code}/end`,
        detail: `end code ${code}`,
        isDone: async () => (await codes().findOne({ _id: code }))?.expiresAt != null,
        again: [200],
        verdict: async () => {
          expect((await codes().findOne({ _id: code }))?.expiresAt?.getTime()).to.be.at.most(Date.now());
        },
      };
    });
    for (const deaths of [made, ended]) expect(deaths).to.be.within(2, WRITES_MAX - 1);
  });

  it('lift: the account trades again, with all that it had', async () => {
    const deaths = await sweep(async (n) => {
      const account = hurt.lift[n] as TestAccount;
      return {
        path: `/v1/admin/quarantine/${account.address}/lift`,
        detail: `lift ${account.address}`,
        isDone: async () => (await stack.info(account.apiKey, { type: 'clearinghouseState' })).status === 200,
        again: [404],
        own: { userId: account.userId, action: 'account.lifted', isOnce: false },
        verdict: async () => {
          await until(async () => (await stack.info(account.apiKey, { type: 'clearinghouseState' })).status === 200);
          expect(await filledOrdersOf(account)).to.have.length(1);
          expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
          expect(await filledOrdersOf(account)).to.have.length(2);
        },
      };
    });
    expect(deaths).to.be.within(3, HURT - 1);
  });

  for (const verb of ['requeue', 'drop'] as const) {
    it(`${verb}: the parked order is ${verb === 'requeue' ? 'done once' : 'gone, and never done'}`, async () => {
      const deaths = await sweep(async (n) => {
        const account = hurt[verb][n] as TestAccount;
        const [id = ''] = await lettersOf(account);
        const done = async (): Promise<number> =>
          (await filledOrdersOf(account)).filter(({ cloid }) => cloid === markedCloid('decideThrows')).length;
        const isGone = async (): Promise<boolean> => (await lettersOf(account)).length === 0;
        return {
          path: `/v1/admin/dead-letters/${encodeURIComponent(id)}/${verb}`,
          detail: `${verb} ${id}`,
          isDone: isGone,
          again: [404],
          own: { userId: account.userId, action: LETTER[verb], isOnce: false },
          verdict: async () => {
            await until(isGone);
            if (verb === 'requeue') await until(async () => (await done()) > 0);
            // An order behind it in the mailbox: the owner has done all that it could do.
            expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
            expect(await done()).to.equal(verb === 'requeue' ? 1 : 0);
            expect(await filledOrdersOf(account)).to.have.length(verb === 'requeue' ? 3 : 2);
          },
        };
      });
      expect(deaths).to.be.within(3, HURT - 1);
    });
  }
});
