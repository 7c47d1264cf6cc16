// Several accounts of a user on one socket, and what a user with many of them may use.
import { expect } from 'chai';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { announceUserChange } from '../../src/shared/access/userChange.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import { until } from '../support/until.ts';

const SOL = 5;
/** Of a node whose keys have few requests. */
const REQUESTS = 20;
const KEYS_OF_BASIC = 5;

describe('accounts of one user over sockets, and their limits', () => {
  let stack: Stack;
  let user: TestAccount;
  let subs: string[];
  const clients: StreamClient[] = [];

  before(async () => {
    stack = await startStack();
    await stack.add('api', { PLAN_BASIC_REQUESTS_PER_MINUTE: String(REQUESTS), PLAN_BASIC_WEIGHT_PER_MINUTE: '100000' });
    await stack.waitHealthy();
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '500']], asks: [['100.1', '500']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
  });
  beforeEach(async () => {
    user = await stack.register();
    subs = [];
    for (let n = 0; n < 3; n++) {
      const { response } = await act({ type: 'createSubAccount', name: `bot ${n}` });
      subs.push(response.data);
      await act({ type: 'subAccountTransfer', subAccountUser: response.data, isDeposit: true, usd: 1_000_000_000 });
    }
  });
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.stop())));
  after(() => stack?.stop());

  const act = async (action: object, vaultAddress?: string) =>
    (await stack.exchange(user.apiKey, action, { envelope: { vaultAddress } })).body;
  const buy = (vaultAddress: string | undefined, sz: string) =>
    act(orderAction(SOL, { px: '101', sz, tif: 'Ioc' }), vaultAddress);
  const connect = async (apiKey = user.apiKey): Promise<StreamClient> => {
    const client = await StreamClient.connect(stack.baseUrl, { apiKey });
    clients.push(client);
    return client;
  };
  type Message = StreamClient['messages'][number];
  const responses = (client: StreamClient): Message[] =>
    client.messages.filter(({ channel }) => channel === 'subscriptionResponse');
  const fillsOf = (client: StreamClient, address: string): Message[] =>
    client.messages.filter(({ channel, data }) => channel === 'userFills' && data.user === address && data.isSnapshot !== true);

  it('each has its channels, with its address and its own numbers', async () => {
    const [first, second] = subs as [string, string];
    const client = await connect();
    for (const address of [user.address, first, second]) client.subscribe({ type: 'userFills', user: address });
    await until(() => responses(client).length === 3);
    for (const [vault, sz] of [
      [undefined, '1.0'],
      [first, '2.0'],
      [second, '3.0'],
      [first, '4.0'],
    ] as const)
      await buy(vault, sz);
    await until(
      () =>
        fillsOf(client, first).length === 2 && fillsOf(client, user.address).length === 1 && fillsOf(client, second).length === 1,
    );
    const sizes = (address: string) => fillsOf(client, address).map(({ data }) => data.fills[0].sz);
    expect([sizes(user.address), sizes(first), sizes(second)]).to.deep.equal([['1.0'], ['2.0', '4.0'], ['3.0']]);
    for (const address of [user.address, first, second]) {
      const { headers } = await stack.info(user.apiKey, { type: 'clearinghouseState', user: address });
      expect(fillsOf(client, address).at(-1)?.seq, address).to.equal(Number(headers.get('x-account-seq')));
    }
    client.unsubscribe({ type: 'userFills', user: first });
    await until(() => responses(client).length === 4);
    await buy(first, '1');
    await buy(second, '5');
    await until(() => sizes(second).includes('5.0'));
    expect(sizes(first)).to.deep.equal(['2.0', '4.0']);
  });

  it('after a break each goes on from its own number', async () => {
    const [first, second] = subs as [string, string];
    const client = await connect();
    for (const address of [first, second]) client.subscribe({ type: 'userFills', user: address });
    await until(() => responses(client).length === 2);
    const seqOf = new Map(responses(client).map(({ data, seq }) => [data.subscription.user as string, seq]));
    await client.stop();
    await buy(first, '1.5');
    await buy(second, '2.5');
    await buy(second, '3.5');
    const again = await connect();
    for (const address of [first, second]) again.subscribe({ type: 'userFills', user: address, fromSeq: seqOf.get(address) });
    await until(() => fillsOf(again, first).length === 1 && fillsOf(again, second).length === 2);
    expect(fillsOf(again, first)[0]?.data.fills[0].sz).to.equal('1.5');
    expect(fillsOf(again, second).map(({ data }) => data.fills[0].sz)).to.deep.equal(['2.5', '3.5']);
  });

  it('a subscription to an account that was made at another node a moment ago is one of it; what is sent next comes after it', async () => {
    const { response } = (
      await stack.exchange(user.apiKey, { type: 'createSubAccount', name: 'late' }, { baseUrl: stack.baseUrls[1] as string })
    ).body;
    const client = await connect();
    client.subscribe({ type: 'orderUpdates', user: response.data });
    const action = { action: orderAction(SOL, { px: '50', sz: '1' }), nonce: 1, vaultAddress: response.data };
    client.send({ method: 'post', id: 1, request: { type: 'action', payload: action } });
    const { data } = await client.next('orderUpdates');
    expect(data[0]).to.include({ status: 'perpMarginRejected' });
  });

  it('for addresses that are none of the user’s the own account answers, and 15 of them may be named beside the own', async () => {
    const stranger = await stack.register();
    const client = await connect();
    client.subscribe({ type: 'userFills', user: stranger.address });
    for (const address of [user.address, ...subs, ...Array.from({ length: 7 }, (_, n) => subAccountAddress(user.address, n + 4))])
      client.subscribe({ type: 'orderUpdates', user: address });
    for (let n = 0; n < 14; n++) client.subscribe({ type: 'orderUpdates', user: `0x${n.toString(16).repeat(40)}` });
    await until(() => responses(client).length === 26);
    client.subscribe({ type: 'orderUpdates', user: `0x${'f'.repeat(40)}` });
    expect((await client.next('error')).data).to.equal('Cannot track more than 15 total users.');
    await stack.exchange(stranger.apiKey, orderAction(SOL, { px: '101', sz: '9', tif: 'Ioc' }));
    await buy(undefined, '1.0');
    await until(() => fillsOf(client, stranger.address).length === 1);
    expect(fillsOf(client, stranger.address)[0]?.data.fills[0].sz).to.equal('1.0');
  });

  it('accounts and keys that are bound to them share the user’s requests of a minute, and take none of a neighbour’s', async () => {
    const [, strict = ''] = stack.baseUrls;
    const neighbour = await stack.register();
    const { api_keys } = (await stack.call('GET', '/v1/auth/api-keys', { token: user.token })).body;
    await stack.call('DELETE', `/v1/auth/api-keys/${api_keys[0].id}`, { token: user.token });
    const keys: string[] = [];
    for (const account of [null, ...subs, subs[0]]) {
      const { body } = await stack.call('POST', '/v1/auth/api-keys', { token: user.token, body: { name: 'bot', account } });
      keys.push(body.api_key);
    }
    expect(keys).to.have.length(KEYS_OF_BASIC);
    const granted = async (apiKey: string, vaults: readonly (string | undefined)[]): Promise<number> => {
      let count = 0;
      for (let n = 0; n < 2 * REQUESTS; n++) {
        const vaultAddress = vaults[n % vaults.length];
        const { status } = await stack.exchange(apiKey, { type: 'noop' }, { baseUrl: strict, envelope: { vaultAddress } });
        expect(status).to.be.oneOf([200, 429]);
        if (status === 200) count += 1;
      }
      return count;
    };
    const began = Date.now();
    const [first = '', ...bound] = keys;
    const counts = [await granted(first, [undefined, ...subs])];
    for (const key of bound) counts.push(await granted(key, [undefined]));
    const all = counts.reduce((sum, count) => sum + count, 0);
    // Each minute that the machine needs for it gives as many again.
    const minutes = 1 + Math.ceil((Date.now() - began) / 60_000);
    expect(counts[0]).to.be.within(REQUESTS, minutes * REQUESTS);
    expect(all).to.be.within(REQUESTS, minutes * KEYS_OF_BASIC * REQUESTS);
    expect(await granted(neighbour.apiKey, [undefined])).to.be.at.least(REQUESTS);
  });

  it('a user of the plan pro has fifty, and a neighbour’s reads are answered while all of them are read', async () => {
    const users = stack.mongo.db.collection<User>(collections.users);
    await users.updateOne({ _id: user.userId }, { $set: { plan: 'pro' } });
    await announceUserChange(stack.redis, { userId: user.userId, digests: [] });
    for (let n = 3; n < 50; n++) subs.push((await act({ type: 'createSubAccount', name: `bot ${n}` })).response.data);
    expect((await act({ type: 'createSubAccount', name: 'one more' })).response).to.equal(
      'Too many sub-accounts: the plan has 50.',
    );
    expect((await stack.info(user.apiKey, { type: 'subAccounts' })).body).to.have.length(50);
    const { body } = await stack.call('GET', '/v1/exchanges/perpx/account/group', { key: user.apiKey });
    expect([body.accounts.length, body.total.balance]).to.deep.equal([51, '10000.0']);
    const neighbour = await stack.register();
    const reads = subs.map((account) =>
      stack.call('GET', `/v1/exchanges/perpx/account/analytics?account=${account}`, { key: user.apiKey }),
    );
    const one = stack.call('GET', '/v1/exchanges/perpx/account/analytics', { key: neighbour.apiKey });
    expect((await one).status).to.equal(200);
    for (const { status } of await Promise.all(reads)) expect(status).to.be.oneOf([200, 429]);
  });
});
