// The terms of an account on a running exchange: the users who may set them, the refusals, the cost of later fills, and the answers
// that show the terms.
import { expect } from 'chai';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';

const SOL = 5;
const ACCOUNT = '/v1/exchanges/perpx/account';
const TERMS = `${ACCOUNT}/terms`;
const DEFAULT = {
  fees: { source: 'default', tier: null, rebate: null, maker: '0.00015', taker: '0.00045' },
  fill_model: 'queue',
  changed: null,
  text: 'Fees: the exchange’s own, 0.015 % as maker and 0.045 % as taker. Resting orders fill by the model queue.',
};

describe('terms of an account', () => {
  let stack: Stack;
  let user: TestAccount;

  const asUser = (method: string, path: string, body?: object) =>
    stack.call(method, path, { token: user.token, ...(body && { body }) });
  const set = (body: unknown, query = '') => asUser('PUT', `${TERMS}${query}`, body as object);
  const buy = (account = user.address) =>
    stack.exchange(user.apiKey, orderAction(SOL, { px: '101', sz: '10', tif: 'Ioc' }), {
      ...(account !== user.address && { envelope: { vaultAddress: account } }),
    });
  const fees = async (account = user.address): Promise<string[]> =>
    (await stack.info(user.apiKey, { type: 'userFills', user: account })).body.map(({ fee }: { fee: string }) => fee).sort();

  before(async () => {
    stack = await startStack();
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '500']], asks: [['100', '500']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
  });
  beforeEach(async () => {
    user = await stack.register();
  });
  after(() => stack?.stop());

  it('are the service’s own, told to whoever may read, and set with an access token alone', async () => {
    expect((await stack.call('GET', TERMS, { key: user.apiKey })).body).to.deep.equal(DEFAULT);
    const byKey = await stack.call('PUT', TERMS, { key: user.apiKey, body: { fees: { maker: '-0.001', taker: '-0.001' } } });
    expect(byKey.status).to.equal(401);
    const stranger = await stack.register();
    const byStranger = await stack.call('PUT', TERMS, { key: user.apiKey, token: stranger.token, body: {} });
    expect([byStranger.status, byStranger.body.code]).to.deep.equal([401, 'invalid_token']);
    expect((await asUser('GET', TERMS)).body).to.deep.equal(DEFAULT);
  });

  it('unreadable ones are refused in words of the form that was meant, and change nothing', async () => {
    const refused: readonly (readonly [unknown, string])[] = [
      [{ fees: { tier: 7 } }, 'fees.tier must be a whole number from 0 to 6'],
      [{ fees: { tier: 2, rebate: 4 } }, 'fees.rebate must be a whole number from 1 to 3'],
      [{ fees: { maker: '0.0001' } }, 'fees.taker is missing'],
      ...['0.0100001', '-0.0010001', '0.011', '1', '-1', '0.000000001', '1e-4', '', '+0', '00', '.001'].map(
        (taker) =>
          [
            { fees: { maker: '0', taker } },
            'fees.taker must be a decimal string from -0.001 to 0.01 with at most 8 decimals',
          ] as const,
      ),
      [{ fees: { maker: 0, taker: 0 } }, 'fees.maker must be a decimal string'],
      [{ fees: { by_volume: false } }, 'fees.by_volume must be true'],
      [{ fees: { tier: 1, maker: '0', taker: '0' } }, 'fees'],
      [{ fees: 5 }, 'fees must be an object'],
      [{ fill_model: 'moon' }, 'fill_model'],
      [{ fee: {} }, 'the body'],
      [[], 'the body must be'],
    ];
    for (const [body, text] of refused) {
      const { status, body: answer } = await set(body);
      expect([status, answer.code], JSON.stringify(body)).to.deep.equal([400, 'invalid_request']);
      expect(answer.detail, JSON.stringify(body)).to.include(text);
    }
    expect((await asUser('GET', TERMS)).body).to.deep.equal(DEFAULT);
  });

  it('hold from the next fill on; userFees, the audit and every return tell them', async () => {
    await buy();
    const { status, body } = await set({ fees: { tier: 4, rebate: 1 } });
    expect([status, body.fees]).to.deep.equal([200, { source: 'tier', tier: 4, rebate: 1, maker: '-0.00001', taker: '0.00028' }]);
    expect(body.text).to.match(
      /^Fees: tier 4 of the venue with rebate 1, set by the user, -0.001 % as maker and 0.028 % as taker. Resting orders fill by the model queue. Changed at /,
    );
    await buy();
    expect(await fees()).to.deep.equal(['0.28', '0.45']);
    const { userCrossRate, userAddRate, feeSchedule } = (await stack.info(user.apiKey, { type: 'userFees' })).body;
    expect([userCrossRate, userAddRate]).to.deep.equal(['0.00028', '-0.00001']);
    expect(feeSchedule.tiers.vip[3]).to.include({ ntlCutoff: '500000000.0', cross: '0.00028', add: '0.0' });
    expect(feeSchedule.tiers.mm[0]).to.deep.equal({ makerFractionCutoff: '0.005', add: '-0.00001' });
    for (const path of ['overview', 'analytics', 'tearsheet/figures', 'group']) {
      const answer = (await asUser('GET', `${ACCOUNT}/${path}`)).body;
      const told = (answer.figures ?? answer.accounts?.[0] ?? answer).account_terms;
      expect(told, path).to.deep.equal(body);
    }
    const sheet = await fetch(`${stack.baseUrl}${ACCOUNT}/tearsheet`, { headers: { 'x-api-key': user.apiKey } });
    expect(await sheet.text()).to.include(`<p>${body.text}</p>`);
    expect(JSON.stringify((await asUser('GET', '/v1/auth/audit?limit=5')).body)).to.include('account.terms_set');
  });

  it('survive a reset, after which all fills are under them', async () => {
    await buy();
    await set({ fees: { maker: '0', taker: '0.01' } });
    await stack.call('POST', `${ACCOUNT}/reset`, { key: user.apiKey });
    expect((await asUser('GET', TERMS)).body).to.deep.include({
      fees: { source: 'own', tier: null, rebate: null, maker: '0.0', taker: '0.01' },
      changed: null,
    });
    expect((await set({})).body).to.deep.equal(DEFAULT);
  });

  it('of a sub-account are its own, and a comparison with a fork has both', async () => {
    const made = await stack.exchange(user.apiKey, { type: 'createSubAccount', name: 'maker' });
    const sub: string = made.body.response.data;
    expect((await set({ fees: { by_volume: true } }, `?account=${sub}`)).body.fees.source).to.equal('volume');
    expect((await asUser('GET', TERMS)).body).to.deep.equal(DEFAULT);
    expect((await set({}, `?account=0x${'ab'.repeat(20)}`)).status).to.equal(404);

    await set({ fees: { maker: '0', taker: '0.0005' } });
    const { headers } = await asUser('GET', `${ACCOUNT}/overview`);
    const seq = Number(headers.get('x-account-seq'));
    const what_if = { fees: { maker: '-0.001', taker: '0' } };
    const fork = await stack.call('POST', `${ACCOUNT}/fork`, { key: user.apiKey, body: { seq, name: 'paid', what_if } });
    expect(fork.status, JSON.stringify(fork.body)).to.equal(200);
    const compared = (await asUser('GET', `${ACCOUNT}/compare?with=${fork.body.address}`)).body;
    expect([compared.account.account_terms.fees.source, compared.with.account_terms.fees.source]).to.deep.equal([
      'own',
      'what_if',
    ]);
    expect(compared.with.account_terms.fees).to.deep.include({ maker: '-0.001', taker: '0.0' });
  });
});
