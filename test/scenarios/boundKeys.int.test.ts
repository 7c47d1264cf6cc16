// A key that is bound to one account of its user, against everything that takes a key: whatever a request names, no answer shows
// the user's other accounts, and no request changes them.
import { expect } from 'chai';
import { digestOf } from '../../src/api/access/credentials.ts';
import { actionTypes } from '../../src/api/exchange/runAction.ts';
import { infoTypes } from '../../src/api/info/answerInfo.ts';
import { allEndpoints } from '../../src/api/registry.ts';
import { privateChannels } from '../../src/api/stream/allChannels.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { apiKeyKeys } from '../../src/shared/redis/keys.ts';
import { type OrderFields, orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import { until } from '../support/until.ts';

const SOL = 5;
const KEYS = '/v1/auth/api-keys';
/** Names for each account's orders, and for its fills by their size. */
const MARKS = { master: `0x${'a1'.repeat(16)}`, own: `0x${'b2'.repeat(16)}`, other: `0x${'c3'.repeat(16)}` };
const SIZES = { master: '13.57', own: '2.22', other: '7.53' };

describe('a key that is bound to an account', () => {
  let stack: Stack;
  let user: TestAccount;
  let own: string;
  let other: string;
  let key: string;
  let keyId: string;
  let oid: number;
  let tid: number;

  const exchange = async (apiKey: string, action: object, envelope: object = {}) =>
    (await stack.exchange(apiKey, action, { envelope })).body;
  const order = (fields: Partial<OrderFields>) => orderAction(SOL, { px: '101', sz: '1', ...fields });
  const tokenCall = (method: string, path: string, body?: object) =>
    stack.call(method, path, { token: user.token, ...(body && { body }) });
  /** Numbers of the newest entries of the accounts that the key must not reach. */
  const seqsOfOthers = async (): Promise<unknown[]> => {
    const { accounts } = (await stack.call('GET', '/v1/exchanges/perpx/account/group', { token: user.token })).body;
    return accounts
      .filter(({ address }: { address: string }) => address !== own)
      .map(({ address, seq }: Record<string, unknown>) => [address, seq]);
  };
  const requireNothingOfOthers = (text: string, what: string): void => {
    for (const mark of [MARKS.master, MARKS.other, `"${SIZES.master}"`, `"${SIZES.other}"`, other, '"7777.', '"3333.'])
      expect(text.includes(mark), `${what} tells ${mark}: ${text.slice(0, 500)}`).to.equal(false);
  };

  before(async () => {
    stack = await startStack({ apis: 2 });
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '500']], asks: [['100.1', '500']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
    user = await stack.register();
    const made = async (name: string): Promise<string> =>
      (await exchange(user.apiKey, { type: 'createSubAccount', name })).response.data;
    [own, other] = [await made('own'), await made('other')];
    for (const [subAccountUser, usd] of [
      [own, 2222],
      [other, 3333],
    ])
      await exchange(user.apiKey, { type: 'subAccountTransfer', subAccountUser, isDeposit: true, usd: Number(usd) * 1_000_000 });
    for (const [name, vaultAddress] of Object.entries({ master: null, own, other }) as [keyof typeof SIZES, string | null][]) {
      const filled = await exchange(user.apiKey, order({ sz: SIZES[name] }), { vaultAddress });
      expect(filled.response.data.statuses[0], name).to.have.property('filled');
      const rests = await exchange(user.apiKey, order({ sz: SIZES[name], px: '50', cloid: MARKS[name] }), { vaultAddress });
      expect(rests.response.data.statuses[0], name).to.have.property('resting');
      if (name === 'master') oid = rests.response.data.statuses[0].resting.oid;
    }
    [{ tid }] = (await stack.info(user.apiKey, { type: 'userFills' })).body;
    const answer = await tokenCall('POST', KEYS, { name: 'bound', account: own.toUpperCase().replace('0X', '0x') });
    expect(answer.body).to.include({ account: own, name: 'bound' });
    key = answer.body.api_key;
    keyId = answer.body.id;
  });
  after(() => stack?.stop());

  it('is told of its own account alone by every info type, whatever `user` names', async () => {
    const fields = { dex: '', coin: 'SOL', oid, tid, id: 20, startTime: 0, interval: '1h', builder: user.address, source: 'x' };
    const req = { coin: 'SOL', interval: '1h', startTime: 0 };
    for (const type of infoTypes()) {
      for (const named of [user.address, other, `0x${'ee'.repeat(20)}`]) {
        const { body } = await stack.info(key, { type, ...fields, req, user: named });
        // Messages repeat the address that they were asked for.
        requireNothingOfOthers(JSON.stringify(body).replaceAll(named, ''), type);
      }
    }
    expect((await stack.info(key, { type: 'userFills', user: user.address })).body[0].sz).to.equal(SIZES.own);
    expect((await stack.info(key, { type: 'subAccounts', user: user.address })).body).to.equal(null);
    expect((await stack.info(key, { type: 'userRole', user: user.address })).body).to.deep.equal({
      role: 'subAccount',
      data: { master: user.address },
    });
    expect((await stack.info(key, { type: 'orderStatus', oid, user: user.address })).body).to.deep.equal({
      status: 'unknownOid',
    });
  });

  it('acts for its own account alone, whatever `vaultAddress` names; accounts of the user are none of its business', async () => {
    const before = await seqsOfOthers();
    const fields = {
      ...{ name: 'x', subAccountUser: other, isDeposit: true, usd: 1_000_000, weight: 1, asset: SOL, isCross: true, leverage: 3 },
      ...{ cancels: [{ a: SOL, o: oid, asset: SOL, cloid: MARKS.master }], oid, order: order({ px: '40' }).orders[0] },
      ...{ modifies: [{ oid, order: order({ px: '40' }).orders[0] }], orders: order({ px: '41', sz: '1' }).orders },
      ...{ isBuy: true, ntli: 1, a: SOL, t: 1, twap: { a: SOL, b: true, s: '1', r: false, m: 5, t: false } },
    };
    for (const type of actionTypes()) {
      for (const vaultAddress of [undefined, null, user.address, other, `0x${'ee'.repeat(20)}`]) {
        const more =
          {
            modify: { a: false },
            batchModify: { a: false },
            topUpIsolatedOnlyMargin: { leverage: '3' },
            twapCancel: { twap: undefined },
          }[type] ?? {};
        const { status, body } = await stack.exchange(key, { type, ...fields, ...more }, { envelope: { vaultAddress } });
        expect(status, `${type} ${JSON.stringify(body)}`).to.equal(200);
      }
    }
    for (const type of ['createSubAccount', 'subAccountModify', 'subAccountTransfer']) {
      const { response } = await exchange(key, { type, ...fields });
      expect(response).to.match(/^This API key is bound to one account/);
    }
    expect(await seqsOfOthers()).to.deep.equal(before);
    expect((await stack.info(user.apiKey, { type: 'subAccounts' })).body).to.have.length(2);
  });

  it('sees and changes its own account alone at every endpoint that takes a key, whatever `account` names', async () => {
    const before = await seqsOfOthers();
    for (const { method, path, scope } of allEndpoints({ hasTestPayments: true, hasDashboard: false })) {
      if (scope === undefined || path.endsWith('/ws') || /\/(info|exchange)$/.test(path)) continue;
      for (const account of [user.address, other, `0x${'ee'.repeat(20)}`, 'nonsense']) {
        const place = `${path.replace(':exchange', 'perpx').replace(':id', user.userId)}?account=${account}`;
        const isSetBalance = path.endsWith('set-balance');
        const { status, body } = await stack.call(method.toUpperCase(), place, {
          key,
          ...(method === 'post' && { body: isSetBalance ? { balance: 5000 } : {} }),
        });
        requireNothingOfOthers(JSON.stringify(body).replaceAll(account, ''), `${method} ${path}`);
        if (path.startsWith('/v1/admin/')) expect(status, path).to.equal(403);
        if (path.endsWith('/account/group')) expect([status, body.code]).to.deep.equal([403, 'bound_key']);
      }
    }
    expect(await seqsOfOthers()).to.deep.equal(before);
    expect((await stack.call('POST', '/v1/auth/account/reset', { key, body: {} })).body.code).to.equal('sub_account');
  });

  it('hears of its own account alone on every channel, whatever `user` names', async () => {
    await stack.call('POST', '/v1/exchanges/perpx/account/set-balance', { key, body: { balance: 5000 } });
    const client = await StreamClient.connect(stack.baseUrl, { apiKey: key });
    const types = privateChannels.map(({ type }) => type);
    for (const type of types) {
      for (const user_ of [user.address, other]) client.subscribe({ type, user: user_, coin: 'SOL' });
    }
    await until(() => client.messages.filter(({ channel }) => channel === 'subscriptionResponse').length === 2 * types.length);
    for (const [name, vaultAddress] of Object.entries({ master: null, other }) as ['master' | 'other', string | null][])
      await exchange(user.apiKey, order({ sz: SIZES[name] }), { vaultAddress });
    client.send({
      method: 'post',
      id: 1,
      request: { type: 'action', payload: { action: order({ sz: '2.22' }), nonce: 1, vaultAddress: other } },
    });
    client.send({ method: 'post', id: 2, request: { type: 'info', payload: { type: 'userFills', user: other } } });
    await until(() => client.messages.filter(({ channel }) => channel === 'post').length === 2);
    await until(() =>
      client.messages.some(
        ({ channel, data }) => channel === 'userFills' && data.isSnapshot !== true && data.fills[0]?.sz === '2.22',
      ),
    );
    for (const message of client.messages)
      requireNothingOfOthers(JSON.stringify(message).replaceAll(user.address, '').replaceAll(other, ''), message.channel);
    await client.stop();
  });

  it('is listed with its account; made anew it is the same', async () => {
    const listed = (await tokenCall('GET', KEYS)).body.api_keys.map(({ name, account }: Record<string, unknown>) => [
      name,
      account,
    ]);
    expect(listed).to.deep.equal([
      ['test', null],
      ['bound', own],
    ]);
    const admin = await tokenCall('POST', `${KEYS}/${keyId}/change`, { scopes: ['admin:read'] });
    expect(admin.status).to.be.within(400, 403);
    expect((await tokenCall('POST', `${KEYS}/${keyId}/change`, { name: 'renamed', scopes: ['read'] })).body).to.include({
      account: own,
    });
    expect((await stack.info(key, { type: 'userFills', user: user.address })).status).to.equal(200);
    expect((await tokenCall('POST', `${KEYS}/${keyId}/change`, { scopes: null })).body).to.include({ account: own });
    const rotated = (await tokenCall('POST', `${KEYS}/${keyId}/rotate`, {})).body;
    expect(rotated).to.include({ id: keyId, account: own });
    await until(async () => (await stack.info(key, { type: 'userRole' })).status === 401);
    key = rotated.api_key;
    expect((await stack.info(key, { type: 'userRole' })).body.role).to.equal('subAccount');
    const audit = (await tokenCall('GET', '/v1/auth/audit')).body.items;
    const acts = audit.filter(({ action }: { action: string }) => action.startsWith('api_key.'));
    expect(
      new Set(
        acts
          .filter(({ detail }: { detail: string }) => detail.startsWith(keyId))
          .map(({ account }: { account: string }) => account),
      ),
    ).to.deep.equal(new Set([own]));
  });

  it('can be made for own accounts that exist alone', async () => {
    const stranger = await stack.register();
    const refused = async (account: unknown, more: object = {}) => {
      const { status, body } = await tokenCall('POST', KEYS, { name: 'x', account, ...more });
      return [status, body.code];
    };
    for (const account of [stranger.address, `0x${'ee'.repeat(20)}`])
      expect(await refused(account)).to.deep.equal([404, 'unknown_account']);
    for (const account of ['', '0x', 5, {}, [own], true])
      expect(await refused(account), String(account)).to.deep.equal([400, 'invalid_request']);
    const master = (await tokenCall('POST', KEYS, { name: 'master', account: user.address })).body;
    expect(master.account).to.equal(user.address);
    const answer = await exchange(master.api_key, order({ sz: '1.11' }), { vaultAddress: own });
    expect(answer.response.data.statuses[0]).to.have.property('filled');
    expect((await stack.info(master.api_key, { type: 'userFills', user: own })).body[0].sz).to.equal('1.11');
    expect((await stack.info(master.api_key, { type: 'subAccounts' })).body).to.equal(null);
    await tokenCall('DELETE', `${KEYS}/${master.id}`);
  });

  it('goes on in another account from when it is moved, at every node; what it has sent before stays', async () => {
    const moving = (await tokenCall('POST', KEYS, { name: 'moving', account: own })).body;
    const [, elsewhere = ''] = stack.baseUrls;
    const at = (baseUrl: string, body: object) => stack.info(moving.api_key, body, baseUrl).then((answer) => answer.body);
    const cloidsAt = async (baseUrl: string) =>
      (await at(baseUrl, { type: 'openOrders' })).map(({ cloid }: { cloid: string }) => cloid);
    await exchange(moving.api_key, order({ sz: SIZES.own, px: '50', cloid: MARKS.own }));
    expect(await cloidsAt(elsewhere)).to.include(MARKS.own);
    const sockets = [stack.baseUrl, elsewhere].map((url) => StreamClient.connect(url, { apiKey: moving.api_key }));
    const [here, there] = await Promise.all(sockets);
    const move = (account: unknown, baseUrl = stack.baseUrl) =>
      stack.call('POST', `${KEYS}/${moving.id}/change`, { token: user.token, body: { account }, baseUrl });

    const stranger = await stack.register();
    for (const account of [stranger.address, `0x${'ee'.repeat(20)}`, subAccountAddress(user.address, 9)]) {
      const { status, body } = await move(account);
      expect([status, body.code], account).to.deep.equal([404, 'unknown_account']);
    }
    for (const account of ['', '0x', 5, {}, [own], true]) expect((await move(account)).status, String(account)).to.equal(400);
    expect(
      (await stack.call('POST', `${KEYS}/${moving.id}/change`, { token: stranger.token, body: { account: own } })).status,
    ).to.equal(404);
    expect(await cloidsAt(stack.baseUrl)).to.include(MARKS.own);

    expect((await move(other)).body).to.include({ id: moving.id, account: other });
    expect(await cloidsAt(stack.baseUrl), 'at once at this node')
      .to.include(MARKS.other)
      .and.not.include(MARKS.own);
    await until(async () => (await cloidsAt(elsewhere)).includes(MARKS.other));
    for (const socket of [here, there]) await until(() => socket?.closed?.code === 4001);
    const cancel = { type: 'cancelByCloid', cancels: [{ asset: SOL, cloid: MARKS.own }] };
    expect((await exchange(moving.api_key, cancel)).response.data.statuses[0]).to.have.property('error');
    const ofOwn = (await stack.info(user.apiKey, { type: 'openOrders', user: own })).body;
    expect(ofOwn.map(({ cloid }: { cloid: string }) => cloid)).to.include(MARKS.own);

    // A node dies after the store has the change, and before it informs others: the client sends the request again, to another
    // node.
    const stored = stack.mongo.db.collection<{ _id: string; account?: string }>(collections.apiKeys);
    await stored.updateOne({ _id: moving.id }, { $set: { account: user.address }, $inc: { revision: 1 } });
    expect((await move(user.address, elsewhere)).body).to.include({ account: user.address });
    expect(await cloidsAt(elsewhere))
      .to.include(MARKS.master)
      .and.not.include(MARKS.other);
    await until(async () => (await cloidsAt(stack.baseUrl)).includes(MARKS.master));
    expect((await stack.info(moving.api_key, { type: 'subAccounts' })).body, 'still bound').to.equal(null);

    expect((await move(null)).body).to.include({ account: null });
    expect((await stack.info(moving.api_key, { type: 'subAccounts' })).body).to.have.length(2);
    expect(await stored.findOne({ _id: moving.id }))
      .to.include({ digest: digestOf(moving.api_key) })
      .and.not.have.property('account');
    expect((await move(own)).body).to.include({ account: own });
    expect(await stored.findOne({ _id: moving.id })).to.include({ digest: digestOf(moving.api_key), account: own });

    const { items } = (await tokenCall('GET', '/v1/auth/audit')).body;
    const moves = items
      .filter(({ action, detail }: Record<string, string>) => action === 'api_key.changed' && detail?.startsWith(moving.id))
      .map(({ account, detail }: Record<string, string>) => [account, detail?.slice(moving.id.length + 1)]);
    expect(moves.reverse()).to.deep.equal([
      [other, `account; was ${own}`],
      [user.address, `account; was ${user.address}`],
      [null, `account; was ${user.address}`],
      [own, 'account; was all accounts'],
    ]);
    await tokenCall('DELETE', `${KEYS}/${moving.id}`);
  });

  it('is stored with its account, in MongoDB and in Redis', async () => {
    const stored = await stack.mongo.db.collection<{ _id: string; digest: string }>(collections.apiKeys).findOne({ _id: keyId });
    const digest = digestOf(key);
    expect(stored).to.include({ digest, account: own });
    // A node that hears of the last change a moment later forgets the key and its copy: the next use makes it again.
    await until(async () => {
      await stack.info(key, { type: 'userRole' });
      return (await stack.redis.exists(apiKeyKeys.record(digest))) === 1;
    });
    const copy = JSON.parse((await stack.redis.get(apiKeyKeys.record(digest))) ?? '');
    expect(copy.caller).to.include({ accountId: own, master: user.address, isBound: true });
  });
});
