import { expect } from 'chai';
import { BTC } from '../support/faults/coins.ts';
import type { FaultStack } from '../support/faults/faultStack.ts';
import { type AccountPast, fillsOf } from '../support/faults/pastOfAccount.ts';
import { scenario } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { StreamFollower } from '../support/faults/streamFollower.ts';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import type { StreamMessage } from '../support/streamContract.ts';
import { until } from '../support/until.ts';

describe('private channels through kill -9: every fill and every change of an order once, in its order', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  scenario('of both API nodes and both actors, one after the other, under orders', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const [pod, api] = [await stack.add('actors'), await stack.add('api')];
    await stack.waitHealthy();
    const urls = [stack.baseUrls[0] ?? '', stack.baseUrls.at(-1) ?? ''];
    // Nothing happens to an account that only waits for a mark which does not come.
    const still = await stack.register();
    const stop = { trigger: { isMarket: true, triggerPx: '90000', tpsl: 'sl' } };
    const order = { ...wireOrder(BTC.asset, { px: '90000', sz: '0.01' }), t: stop };
    await stack.act(still.apiKey, { type: 'order', orders: [order], grouping: 'na' });
    const state = await stateOf(still, urls);
    const followers = load.bots.map(({ account }, index) => new StreamFollower(urls, account, index).start());
    const hasHeard = ({ told }: StreamFollower): boolean => Object.values(told).some(({ length }) => length > 0);
    await until(() => followers.every(hasHeard));
    for (const name of ['api-0', 'actors-0', api, pod]) {
      await stack.kill(name);
      await stack.restart(name);
      await load.progress(3);
    }
    const pasts = await load.verdict();
    // From its first entry on at once: entries of MongoDB and entries of the journal, joined.
    const late = load.bots.map(({ account }, index) => new StreamFollower(urls, account, index + 1).start());
    try {
      for (const [index, past] of pasts.entries()) {
        for (const follower of [followers[index], late[index]]) await agree(follower as StreamFollower, past);
      }
      expect(followers.reduce((sum, { breaks }) => sum + breaks, 0)).to.be.at.least(followers.length);
      expect(await stateOf(still, urls), 'after takeovers').to.equal(state);
    } finally {
      await Promise.all([...followers, ...late].map((follower) => follower.stop()));
    }
  });

  /** Number and name of the account's state, which every snapshot says alike, whichever node is asked. */
  async function stateOf(account: TestAccount, urls: readonly string[]): Promise<string> {
    const snapshots = urls.flatMap((url) => ['userFills', 'clearinghouseState'].map((type) => snapshotOf(type, account, url)));
    const states = new Set((await Promise.all(snapshots)).map(({ seq, stateHash }) => `${seq} ${stateHash}`));
    const [state = ''] = states;
    expect([...states]).to.deep.equal([state]);
    expect(state).to.match(/^\d+ h2:[0-9a-f]{64}$/);
    return state;
  }

  /** Asks again when the account has no owner at the moment. */
  async function snapshotOf(type: string, { apiKey, address: user }: TestAccount, url: string): Promise<StreamMessage> {
    const client = await StreamClient.connect(url, { apiKey });
    await until(async () => {
      client.subscribe({ type, user, stateHash: true });
      return (await client.next(type, 'error')).channel === type;
    });
    await client.stop();
    return client.all(type)[0] as StreamMessage;
  }

  /** The account's past as the stream should have sent it, and has. */
  async function agree({ told, errors, account }: StreamFollower, past: AccountPast): Promise<void> {
    const fills = past.rows.flatMap((row) => (row.kind === 'fills' ? [`${row.entry.seq} ${row.row.tid}`] : []));
    const changes = past.rows.flatMap((row) =>
      row.kind === 'orders' ? [`${row.entry.seq} ${row.row.order.oid} ${row.row.status}`] : [],
    );
    // A resting order may have been filled since its past was read.
    const ofPast = (channel: string) => told[channel]?.filter(({ seq = 0 }) => seq <= past.account.seq);
    const heard = {
      userFills: () => textsOf(ofPast('userFills'), 'fills', tidOf),
      user: () => textsOf(ofPast('user'), 'fills', tidOf),
      userHistoricalOrders: () => textsOf(ofPast('userHistoricalOrders'), 'orderHistory', changeOf),
      orderUpdates: () => withoutArrivals(past, textsOf(ofPast('orderUpdates'), undefined, changeOf)),
    };
    const wanted = { userFills: fills, user: fills, userHistoricalOrders: changes, orderUpdates: changes };
    expect(fillsOf(past), 'the account has traded').not.to.deep.equal([]);
    for (const channel of Object.keys(heard) as (keyof typeof heard)[]) {
      const last = wanted[channel].at(-1);
      await until(() => heard[channel]().includes(last ?? '')).catch(() => undefined); // what is missing is said below
      expect(heard[channel](), `${channel} of ${account.address}`).to.deep.equal(wanted[channel]);
    }
    // A subscription may find no owner of its account in time; any other refusal is wrong.
    expect(
      errors.filter((error) => !/outcome|not begun within|cannot take requests|cannot be read/.test(String(error))),
    ).to.deep.equal([]);
  }

  type Item = NonNullable<StreamMessage['data']>;
  const tidOf = ({ tid }: Item): string => String(tid);
  const changeOf = ({ order, status }: Item): string => `${order.oid} ${status}`;

  function textsOf(messages: readonly StreamMessage[] = [], field: string | undefined, textOf: (item: Item) => string): string[] {
    return messages.flatMap(({ seq, data }) =>
      ((field === undefined ? data : (data[field] ?? [])) as Item[]).map((item) => `${seq} ${textOf(item)}`),
    );
  }

  /** The stream first shows an order that fills when it comes as open, which is no row of its own. */
  function withoutArrivals({ rows }: AccountPast, texts: readonly string[]): string[] {
    const opened = new Set(
      rows.flatMap((row) => (row.kind === 'orders' && row.row.status === 'open' ? [row.row.order.oid] : [])),
    );
    return texts.filter((text) => {
      const [, oid, status] = text.split(' ');
      return status !== 'open' || opened.has(Number(oid));
    });
  }
});
