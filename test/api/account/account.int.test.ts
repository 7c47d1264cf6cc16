import { expect } from 'chai';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { useStores } from '../../support/useStores.ts';

const TOP_UP = '/v1/auth/account/reset';
const RESET = '/v1/exchanges/perpx/account/reset';
const SET_BALANCE = '/v1/exchanges/perpx/account/set-balance';

describe('account: top-up, reset and set-balance', () => {
  const stores = useStores();
  let node: ApiNode;
  let user: TestUser;
  let key: { apiKey: string };
  let nowMs = Date.now();

  before(async () => {
    node = await ApiNode.start(stores, { now: () => nowMs });
    user = await node.register();
    key = await node.createKey(user);
  });
  after(() => node.stop());

  const withKey = () => ({ 'x-api-key': key.apiKey });
  const withToken = () => ({ authorization: `Bearer ${user.token}` });
  const info = (type: string) => node.post('/v1/exchanges/perpx/info', { type, user: `0x${'a'.repeat(40)}` }, withKey());
  const setPlan = (plan: 'basic' | 'pro') =>
    node.mongo.db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { plan } });

  for (const [name, headers] of [
    ['an API key', withKey],
    ['an access token', withToken],
  ] as const) {
    it(`with ${name} the balance is set, as a number or as text`, async () => {
      for (const [balance, shown] of [
        [1000, '1000.0'],
        ['1000.123456', '1000.123456'],
        [10_000_000, '10000000.0'],
        ['10000000', '10000000.0'],
        [2500.5, '2500.5'],
      ] as const) {
        const { status, body, text } = await node.post(SET_BALANCE, { balance }, headers());
        expect(status, text).to.equal(200);
        expect(body).to.include({ balance: shown });
        expect((await info('clearinghouseState')).body.withdrawable).to.equal(shown);
      }
    });

    it(`with ${name} the account begins anew with the plan’s balance of now`, async () => {
      const { status, body } = await node.post(RESET, {}, headers());
      expect([status, body.balance]).to.deep.equal([200, '10000.0']);
      const { body: ledger } = await info('userNonFundingLedgerUpdates');
      expect(ledger.map(({ delta }: { delta: object }) => delta)).to.deep.equal([{ type: 'deposit', usdc: '10000.0' }]);
      await setPlan('pro');
      expect((await node.post(RESET, {}, headers())).body.balance).to.equal('100000.0');
      await setPlan('basic');
    });

    it(`with ${name} a balance of 100 or more is not topped up`, async () => {
      const { status, body } = await node.post(TOP_UP, {}, headers());
      expect(status).to.equal(400);
      expect(body).to.deep.equal({
        detail: 'Balance too high for reset',
        code: 'balance_too_high',
        msg: 'Balance too high for reset',
      });
    });
  }

  it('the difference is one row of the ledger, and history stays', async () => {
    await node.post(RESET, {}, withKey());
    await node.post(SET_BALANCE, { balance: 4000 }, withKey());
    const { body } = await info('userNonFundingLedgerUpdates');
    expect(body.map(({ delta }: { delta: { type: string; usdc: string } }) => [delta.type, delta.usdc])).to.deep.equal([
      ['deposit', '10000.0'],
      ['withdraw', '6000.0'],
    ]);
  });

  const refused: { name: string; body: unknown }[] = [
    { name: 'nothing', body: {} },
    { name: 'null', body: { balance: null } },
    { name: 'a cent too little', body: { balance: 999.99 } },
    { name: 'a micro-USD too much', body: { balance: '10000000.000001' } },
    { name: 'seven decimals', body: { balance: '1000.0000001' } },
    { name: 'seven decimals as a number', body: { balance: 1000.0000001 } },
    { name: 'an exponent', body: { balance: '1e4' } },
    { name: 'a huge number', body: { balance: 1e300 } },
    { name: 'a negative number', body: { balance: -5000 } },
    { name: 'a sign', body: { balance: '+5000' } },
    { name: 'a space', body: { balance: ' 5000' } },
    { name: 'NaN', body: { balance: 'NaN' } },
    { name: 'Infinity', body: { balance: 'Infinity' } },
    { name: 'digits of another script', body: { balance: '５０００' } },
    { name: 'hex', body: { balance: '0x1388' } },
    { name: 'true', body: { balance: true } },
    { name: 'a list', body: { balance: [5000] } },
    { name: 'an object', body: { balance: { $gt: 0 } } },
    { name: 'a deep object', body: `{"balance":${'['.repeat(60)}1${']'.repeat(60)}}` },
    { name: 'a number of 400 digits', body: `{"balance":${'1'.repeat(400)}}` },
    { name: 'a list as body', body: [] },
    { name: 'text that is no JSON', body: '{' },
  ];
  for (const { name, body } of refused) {
    it(`set-balance refuses ${name}, and nothing changes`, async () => {
      const before = node.exchange.commands.length;
      const answer = await node.post(SET_BALANCE, body, withKey());
      expect(answer.status, answer.text).to.equal(400);
      expect(answer.body).to.have.all.keys('detail', 'code', 'msg');
      expect(node.exchange.commands).to.have.length(before);
    });
  }

  it('a reset takes no body or an object, and nothing else', async () => {
    for (const path of [RESET, TOP_UP]) {
      const bare = await node.request('POST', path, { headers: withKey() });
      expect(bare.status, bare.text).to.be.oneOf([200, 400]);
      expect(bare.body.code ?? 'ok').to.be.oneOf(['ok', 'balance_too_high']);
      for (const body of ['[]', '1', '{', 'null']) {
        const { status, body: answer } = await node.post(path, body, withKey());
        expect(status, body).to.equal(400);
        expect(answer.code, body).to.not.equal('balance_too_high');
      }
    }
  });

  it('without a credential, or with a wrong one, it is 401; another exchange is 404', async () => {
    for (const path of [TOP_UP, RESET, SET_BALANCE]) {
      for (const headers of [{}, { 'x-api-key': 'pe_wrong' }, { authorization: 'Bearer wrong' }]) {
        expect((await node.post(path, { balance: 5000 }, headers)).status).to.equal(401);
      }
    }
    expect((await node.post('/v1/exchanges/other/account/reset', {}, withKey())).status).to.equal(404);
  });

  it('each act is in the audit log, refused ones too', async () => {
    const rows = await node.mongo.db.collection('audit').find({ userId: user.id }).toArray();
    const acts = new Set(rows.map(({ action, outcome }) => `${action} ${outcome}`));
    expect([...acts]).to.include.members(['account.reset ok', 'account.reset refused', 'account.balance_set ok']);
  });

  it('an expired account is refused with 403, and nothing changes', async () => {
    const before = node.exchange.commands.length;
    nowMs += 4 * 86_400_000;
    for (const path of [TOP_UP, RESET, SET_BALANCE]) {
      const { status, body } = await node.post(path, { balance: 5000 }, withKey());
      expect([status, body.code]).to.deep.equal([403, 'trial_expired']);
    }
    expect(node.exchange.commands).to.have.length(before);
  });
});
