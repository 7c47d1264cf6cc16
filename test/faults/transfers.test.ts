// Transfers between accounts of a user while API nodes and actors are killed in their middle: each acknowledged one once, the sum of all
// accounts never another, not even in answers given meanwhile.
import { expect } from 'chai';
import { Random, scenario } from '../support/faults/seeds.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SUBS = 3;
/** Transfers that are acknowledged between two kills. */
const BETWEEN = 4;

interface Told {
  readonly status: string;
  readonly response: unknown;
}

/** The account in the answer about all accounts. */
interface Group {
  readonly accounts: readonly {
    readonly address: string;
    readonly account_value: string;
    readonly transfers_under_way: readonly unknown[];
  }[];
  readonly total: { readonly account_value: string };
}

interface Sent {
  readonly sub: string;
  readonly isDeposit: boolean;
  readonly micro: number;
}

describe('kill -9 around transfers between accounts', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let isOver = false;

  before(async () => {
    const env = { SHARDS: '4', LEASE_TTL_MS: '1000', COMMAND_DEADLINE_MS: '2500' };
    stack = await startStack({ apis: 2, pods: 2, env });
  });
  after(() => stack.stop());

  const nodeUrl = (number: number): string => stack.baseUrls[number % stack.baseUrls.length] as string;

  /** Asks one node after the other until an answer is as wanted; a broken answer says nothing of the transfer. */
  async function sayUntil(body: object, key: string): Promise<Told> {
    let last: unknown;
    let node = 0;
    const answered = async (): Promise<boolean> => {
      const baseUrl = nodeUrl(node++);
      const asked = stack.call('POST', '/v1/exchanges/perpx/exchange', { key: user.apiKey, body, idempotencyKey: key, baseUrl });
      const answer = await asked.catch((error: Error) => error);
      if (answer instanceof Error) last = answer.message;
      else {
        expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 409, 429, 503, 504]);
        last = answer.status === 200 ? answer.body : answer.status;
      }
      return typeof last === 'object';
    };
    await until(answered).catch((error: Error) => {
      throw new Error(`no answer: ${JSON.stringify(last)}\n${stack.lastLines()}`, { cause: error });
    });
    return last as Told;
  }

  async function group(): Promise<Group> {
    for (let node = 0; ; node++) {
      const baseUrl = nodeUrl(node);
      const options = { key: user.apiKey, baseUrl };
      const answer = await stack.call('GET', '/v1/exchanges/perpx/account/group', options).catch(() => undefined);
      if (answer?.status === 200) return answer.body;
      await new Promise(setImmediate);
    }
  }

  /** One client: transfers one after the other, each repeated under its key until it is answered. */
  async function transferOn(random: Random, subs: readonly string[], done: Sent[]): Promise<void> {
    while (!isOver) {
      const sent = { sub: random.pick(subs), isDeposit: random.chance(0.6), micro: random.whole(1, 20_000_000) };
      const action = { type: 'subAccountTransfer', subAccountUser: sent.sub, isDeposit: sent.isDeposit, usd: sent.micro };
      const { status, response } = await sayUntil({ action, nonce: 1 }, crypto.randomUUID());
      if (status === 'ok') done.push(sent);
      else expect(response).to.match(/^(Insufficient balance for transfer|Too many transfers)/);
    }
  }

  scenario('five clients transfer, every process dies in turn: exact in the end, and in each answer meanwhile', async (seed) => {
    const random = new Random(seed);
    user = await stack.register();
    const subs: string[] = [];
    for (let i = 0; i < SUBS; i++) {
      const { response } = await sayUntil(
        { action: { type: 'createSubAccount', name: `bot ${i}` }, nonce: 1 },
        crypto.randomUUID(),
      );
      subs.push((response as { data: string }).data);
    }
    isOver = false;
    const done: Sent[] = [];
    const totals: string[] = [];
    const clients = Array.from({ length: 5 }, () => transferOn(new Random(random.whole(1, 2 ** 31)), subs, done));
    const watching = (async () => {
      while (!isOver) totals.push((await group()).total.account_value);
    })();
    const more = async (count: number): Promise<void> => {
      const wanted = done.length + count;
      await until(() => done.length >= wanted);
    };
    try {
      await more(BETWEEN);
      const names = [...stack.processes.keys()].filter((name) => /^(api|actors)/.test(name));
      for (const name of names) {
        await stack.kill(name);
        // The others go on, or wait for what is gone; then it comes back.
        if (random.chance(0.5)) await more(2);
        await stack.restart(name);
        await more(BETWEEN);
      }
      await until(() => totals.length > 10);
    } finally {
      isOver = true;
      await Promise.allSettled([...clients, watching]);
    }
    await Promise.all([...clients, watching]);

    let last = await group();
    await until(async () => {
      last = await group();
      return last.accounts.every(({ transfers_under_way }) => transfers_under_way.length === 0);
    });
    const wanted = new Map(subs.map((sub) => [sub, 0]));
    for (const { sub, isDeposit, micro } of done) wanted.set(sub, (wanted.get(sub) ?? 0) + (isDeposit ? micro : -micro));
    const [master, ...others] = last.accounts;
    const inMicro = (usd: string): number => Math.round(Number(usd) * 1e6);
    for (const { address, account_value } of others) expect(inMicro(account_value), address).to.equal(wanted.get(address));
    const out = [...wanted.values()].reduce((sum, micro) => sum + micro, 0);
    expect(inMicro(master?.account_value ?? '')).to.equal(10_000_000_000 - out);
    expect([...new Set(totals)]).to.deep.equal(['10000.0']);
    for (const sub of subs) {
      const ledger = (await stack.info(user.apiKey, { type: 'userNonFundingLedgerUpdates', user: sub, startTime: 0 })).body;
      expect(ledger.length).to.equal(done.filter((sent) => sent.sub === sub).length);
    }
  });
});
