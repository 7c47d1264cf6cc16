import { expect } from 'chai';
import { readEntries } from '../../src/actors/core/messages/entry.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { announceUserChange } from '../../src/shared/access/userChange.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import { until } from '../support/until.ts';

const ACCOUNT = '/v1/exchanges/perpx/account';
const STRANGER = `0x${'ab'.repeat(20)}`;

describe('sub-accounts of a user', () => {
  let stack: Stack;
  let otherNode: string;
  let user: TestAccount;

  before(async () => {
    stack = await startStack({ apis: 2 });
    otherNode = stack.baseUrls[1] ?? '';
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '50']], asks: [['100.1', '50']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
  });
  beforeEach(async () => {
    user = await stack.register();
  });
  after(() => stack?.stop());

  const act = async (action: object, more: { envelope?: object; baseUrl?: string; idempotencyKey?: string } = {}) =>
    (await stack.exchange(user.apiKey, action, more)).body;
  const made = async (name: string, baseUrl = stack.baseUrl): Promise<string> => {
    const answer = await act({ type: 'createSubAccount', name }, { baseUrl });
    expect(answer.status, JSON.stringify(answer)).to.equal('ok');
    return answer.response.data;
  };
  const info = async (type: string, fields: object = {}, baseUrl = stack.baseUrl) =>
    (await stack.info(user.apiKey, { type, ...fields }, baseUrl)).body;
  const worthOf = async (address: string): Promise<string> =>
    (await info('clearinghouseState', { user: address })).marginSummary.accountValue;
  const transfer = (subAccountUser: string, isDeposit: boolean, usd: number) =>
    act({ type: 'subAccountTransfer', subAccountUser, isDeposit, usd: Math.round(usd * 1_000_000) });
  const get = (path: string, key = user.apiKey): Promise<Answer> => stack.call('GET', `${ACCOUNT}/${path}`, { key });
  const buy = {
    type: 'order',
    orders: [{ a: 5, b: true, p: '101', s: '1', r: false, t: { limit: { tif: 'Ioc' } } }],
    grouping: 'na',
  };
  const asSol = async (order: typeof buy): Promise<typeof buy> => {
    const { universe } = await info('meta');
    const a = universe.findIndex(({ name }: { name: string }) => name === 'SOL');
    return { ...order, orders: order.orders.map((one) => ({ ...one, a })) };
  };

  it('are made in order, empty, with addresses that follow from the master’s', async () => {
    expect(await info('subAccounts')).to.equal(null);
    const [first, second] = [await made('grid'), await made('hedge', otherNode)];
    expect([first, second]).to.deep.equal([1, 2].map((number) => subAccountAddress(user.address, number)));
    const listed = await info('subAccounts', { user: user.address }, otherNode);
    expect(
      listed.map(({ name, subAccountUser, master }: Record<string, unknown>) => ({ name, subAccountUser, master })),
    ).to.deep.equal([
      { name: 'grid', subAccountUser: first, master: user.address },
      { name: 'hedge', subAccountUser: second, master: user.address },
    ]);
    expect(listed[0].clearinghouseState.marginSummary.accountValue).to.equal('0.0');
    expect(listed[0].spotState).to.deep.equal({ balances: [] });
    const [{ dexToClearinghouseState }] = await info('subAccounts2');
    expect(dexToClearinghouseState[0][0]).to.equal('');
    expect(await info('subAccounts', { user: first }), 'a sub-account has none').to.equal(null);
    expect(await info('userRole', { user: first })).to.deep.equal({ role: 'subAccount', data: { master: user.address } });
    expect(await info('userRole', { user: user.address })).to.deep.equal({ role: 'user' });
    expect(await info('userRole', { user: STRANGER })).to.deep.equal({ role: 'user' });
  });

  it('are renamed; names are told apart and may be any visible text', async () => {
    const first = await made('grid');
    await made('<b>&"\'');
    await made('名前🙂é');
    expect(
      await act({ type: 'subAccountModify', subAccountUser: first.toUpperCase().replace('0X', '0x'), name: 'renamed' }),
    ).to.deep.equal({
      status: 'ok',
      response: { type: 'default' },
    });
    const names = (await info('subAccounts')).map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(['renamed', '<b>&"\'', '名前🙂é']);
    const refused = async (action: object) => (await act(action)).response;
    expect(await refused({ type: 'createSubAccount', name: 'renamed' })).to.equal('Another sub-account has this name.');
    for (const name of [
      '\u202Egnp.exe',
      'a\u0000b',
      'a\nb',
      '\u200B',
      '   ',
      '\u2028',
      '\uD800',
      '\u3164',
      'grid\uFE0F',
      '\u2800',
      'a\u{E0100}',
    ]) {
      expect(await refused({ type: 'createSubAccount', name }), JSON.stringify(name)).to.equal(
        'Sub-account names consist of visible characters.',
      );
    }
    for (const name of ['', 'x'.repeat(17), 5, null, ['a'], { a: 1 }]) {
      const { status, body } = await stack.exchange(user.apiKey, { type: 'createSubAccount', name });
      expect([status, body.status], JSON.stringify(name)).to.deep.equal([400, 'err']);
    }
    for (const subAccountUser of [STRANGER, user.address, subAccountAddress(user.address, 4)]) {
      expect(await refused({ type: 'subAccountModify', subAccountUser, name: 'x' })).to.equal(
        `Sub-account ${subAccountUser} is not registered to ${user.address}`,
      );
    }
  });

  it('of two at once from two nodes both are made, the eleventh of a plan is refused, and none is counted less than it exists', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `bot ${n}`);
    const answers = await Promise.all(
      names.map((name, n) => act({ type: 'createSubAccount', name }, { baseUrl: stack.baseUrls[n % 2] as string })),
    );
    const addresses = answers.filter(({ status }) => status === 'ok').map(({ response }) => response.data);
    expect(new Set(addresses)).to.deep.equal(
      new Set(Array.from({ length: 10 }, (_, n) => subAccountAddress(user.address, n + 1))),
    );
    const refusals = answers.filter(({ status }) => status === 'err').map(({ response }) => response);
    expect(refusals).to.deep.equal(Array(2).fill('Too many sub-accounts: the plan has 10.'));
    const users = stack.mongo.db.collection<User>(collections.users);
    expect((await users.findOne({ _id: user.userId }))?.subAccountsMade).to.equal(10);
    await users.updateOne({ _id: user.userId }, { $set: { plan: 'pro' } });
    await announceUserChange(stack.redis, { userId: user.userId, digests: [] });
    expect(await made('eleventh')).to.equal(subAccountAddress(user.address, 11));
    expect((await users.findOne({ _id: user.userId }))?.subAccountsMade).to.equal(11);
  });

  it('a fork begins with the state of an entry, is one of the plan’s accounts, and its money is shown apart', async () => {
    await act(await asSol(buy));
    const fork = (body: object, key = user.apiKey, more: object = {}) =>
      stack.call('POST', `${ACCOUNT}/fork`, { key, body, ...more });
    const { headers } = await get('overview');
    const seq = Number(headers.get('x-account-seq'));
    const { body, status } = await fork({ seq, name: 'rewind' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ address: subAccountAddress(user.address, 1), name: 'rewind', of: user.address, seq });
    expect((await fork({ seq, name: 'rewind' }, user.apiKey, { baseUrl: otherNode })).body, 'again').to.deep.equal(body);
    await act(await asSol(buy));
    const position = async (of: string) => (await info('clearinghouseState', { user: of })).assetPositions[0].position.szi;
    expect([await position(user.address), await position(body.address)]).to.deep.equal(['2.0', '1.0']);
    const group = (await get('group')).body;
    const [, sub] = group.accounts;
    expect(sub.fork).to.deep.equal({
      ...{ of: user.address, seq, time: body.time },
      state_hash: body.state_hash,
      usd: sub.balance,
    });
    expect([group.total.forked_usd, sub.net_deposits]).to.deep.equal([sub.balance, sub.balance]);
    const atTime = await fork({ time: body.time, name: 'by time' });
    expect(atTime.body).to.include({ seq, state_hash: body.state_hash });

    const refusals: [object, number, string][] = [
      [{ seq: seq + 1000, name: 'x' }, 400, 'unknown_seq'],
      [{ seq: 0, name: 'x' }, 400, 'invalid_request'],
      [{ seq: 1.5, name: 'x' }, 400, 'invalid_request'],
      [{ seq: 1e300, name: 'x' }, 400, 'invalid_request'],
      [{ seq: '1', name: 'x' }, 400, 'invalid_request'],
      [{ seq, time: body.time, name: 'x' }, 400, 'invalid_request'],
      [{ name: 'x' }, 400, 'invalid_request'],
      [{ seq }, 400, 'invalid_request'],
      [{ seq, name: '' }, 400, 'invalid_request'],
      [{ seq, name: '\u202E' }, 400, 'fork_refused'],
      [{ time: '2099-01-01T00:00:00Z', name: 'x' }, 409, 'time_to_come'],
      [{ time: '2026-02-31T99:00:00Z', name: 'x' }, 400, 'invalid_request'],
      [{ time: '2001-01-01T00:00:00Z', name: 'x' }, 400, 'seq_forgotten'],
      [{ seq: 1, name: 'rewind' }, 400, 'fork_refused'],
    ];
    for (const [asked, wanted, code] of refusals) {
      const answer = await fork(asked);
      expect([answer.status, answer.body.code], JSON.stringify(asked)).to.deep.equal([wanted, code]);
    }
    expect(await info('subAccounts')).to.have.length(2);
    for (let n = 3; n <= 10; n++) await made(`sub ${n}`);
    expect((await fork({ seq, name: 'eleventh' })).status).to.equal(400);
    expect((await fork({ seq, name: 'rewind' })).body, 'one that there is').to.deep.equal(body);
    const audit = await stack.mongo.db
      .collection(collections.audit)
      .find({ userId: user.userId, action: 'account.forked', detail: { $exists: true } })
      .toArray();
    expect(audit.map(({ outcome, detail }) => `${outcome} ${detail.split(',')[1].trim()}`).sort()).to.deep.equal([
      ...['ok by time', 'ok rewind', 'ok rewind', 'ok rewind', 'refused eleventh', 'refused rewind'],
    ]);
  });

  it('a what-if goes on under its terms; unreadable ones change nothing', async () => {
    const fork = (what_if: unknown, name = 'what if') =>
      stack.call('POST', `${ACCOUNT}/fork`, { key: user.apiKey, body: { seq: 1, name, what_if } });
    const unreadable: readonly unknown[] = [
      ...[[], 'x', 5, { unknown: 1 }, { fees: {} }, { fees: { maker: '0' } }, { fees: { maker: '0', taker: '0.011' } }],
      ...[{ fees: { maker: '-0.00101', taker: '0' } }, { fees: { maker: 'NaN', taker: '0' } }, { fees: { maker: 0, taker: 0 } }],
      ...[{ fees: { maker: '1e-4', taker: '0' } }, { leverage: 0 }, { leverage: 101 }, { leverage: 2.5 }, { leverage: '3' }],
      ...[{ leverage: 1e300 }, { fill_model: 'moon' }, { latency: { submit: 10_001 } }, { latency: { answer: 5 } }],
      ...[{ latency: { seed: -1 } }, { latency: { cancel: { medianMs: 5 } } }],
    ];
    for (const terms of unreadable) {
      const { status, body } = await fork(terms);
      expect([status, body.code], JSON.stringify(terms)).to.deep.equal([400, 'invalid_request']);
    }
    expect((await get('group')).body.accounts).to.have.length(1);

    const terms = { fees: { maker: '0', taker: '0.001' }, leverage: 3, fill_model: 'touch', latency: { seed: 1, submit: 5 } };
    const { body } = await fork(terms);
    expect(body.what_if).to.deep.equal(terms);
    expect((await fork({ ...terms, leverage: 4 })).body.code, 'other terms are another fork').to.equal('fork_refused');
    expect((await fork(null, 'no what-if')).body.what_if).to.equal(null);
    const rates = async (of: string) => {
      const { userCrossRate, userAddRate } = await info('userFees', { user: of });
      return [userCrossRate, userAddRate];
    };
    expect([await rates(user.address), await rates(body.address)]).to.deep.equal([
      ['0.00045', '0.00015'],
      ['0.001', '0.0'],
    ]);
    await act(await asSol(buy));
    await until(async () => (await get('group')).body.accounts[1].what_if.received === 1);
    await until(async () => (await info('userFills', { user: body.address })).length === 1);
    const [fill] = await info('userFills', { user: body.address });
    expect(Number(fill.fee)).to.be.closeTo(Number(fill.px) * Number(fill.sz) * 0.001, 1e-6);
    const [{ position }] = (await info('clearinghouseState', { user: body.address })).assetPositions;
    expect([position.szi, position.leverage]).to.deep.equal(['1.0', { type: 'cross', value: 3 }]);
    expect((await info('userFills', { user: user.address }))[0].oid, 'one oid in both').to.equal(fill.oid);
  });

  it('a comparison names the first entry where a what-if and its source differ, why, and what both did', async () => {
    const order = async (p: string, s: string, tif: string) => {
      const { orders, ...rest } = await asSol(buy);
      return { ...rest, orders: orders.map((one) => ({ ...one, p, s, t: { limit: { tif } } })) };
    };
    const { headers } = await get('overview');
    const seq = Number(headers.get('x-account-seq'));
    const fork = async (name: string, what_if?: object): Promise<string> =>
      (await stack.call('POST', `${ACCOUNT}/fork`, { key: user.apiKey, body: { seq, name, ...(what_if && { what_if }) } })).body
        .address;
    const touch = await fork('touch', { fill_model: 'touch' });
    const fees = await fork('fees', { fees: { maker: '0', taker: '0.001' } });
    const low = await fork('low', { leverage: 1 });
    const plain = await fork('plain');
    await act(await order('99.9', '10', 'Gtc'));
    await act(await order('100.1', '2', 'Ioc'));
    // 18,000 USD: twice what an account of 10,000 USD can have at 1x.
    await act(await order('90', '200', 'Gtc'));
    const received = async () =>
      (await get('group')).body.accounts.slice(1, 4).map(({ what_if }: { what_if: { received: number } }) => what_if.received);
    await until(async () => (await received()).every((count: number) => count === 3));
    // The queue ahead is 50: the trade leaves nothing of it to the source.
    await stack.market.control({ op: 'trade', coin: 'SOL', side: 'A', px: '99.9', sz: '6', keepBook: true });
    await until(async () => (await info('userFills', { user: touch })).length === 2);
    const compare = async (query: string) => (await get(`compare?${query}`)).body;
    type Shown = { text: string } | null;
    const told = (differences: readonly { why: string; account: Shown; with: Shown; stood: { with: Shown } }[]) =>
      differences.map((one) => [one.why, one.account?.text ?? null, one.with?.text ?? null, one.stood.with?.text ?? null]);
    const found = async (query: string, count: number) => {
      await until(async () => (await compare(query)).differences.length >= count);
      return told((await compare(query)).differences);
    };

    // 6 at 99.9 and 0.015 %; 2 at 100.1 and 0.045 % or 0.1 %.
    const touched = ['fill_model', null, 'buy 6 at 99.9, maker, fee 0.08991 USD', 'rests at 99.9, 10 left'];
    const charged = ['fees', 'buy 2 at 100.1, taker, fee 0.09009 USD', 'buy 2 at 100.1, taker, fee 0.2002 USD', null];
    expect(await found(`with=${touch}`, 1)).to.deep.equal([touched]);
    expect(await found(`with=${fees}`, 1)).to.deep.equal([charged]);
    expect(await found(`with=${low}`, 1)).to.deep.equal([
      ['leverage', 'rests at 90, 200 left', 'refused (perpMarginRejected): Insufficient margin to place order.', null],
    ]);
    expect((await found(`with=${plain}`, 3)).map(([why, , other]) => [why, other])).to.deep.equal(
      Array(3).fill(['command', null]),
    );
    // Two what-ifs of one entry: the differences of each from the source.
    expect((await found(`account=${fees}&with=${touch}`, 2)).map(([why]) => why)).to.deep.equal(['fees', 'fill_model']);

    const whole = await compare(`with=${touch}`);
    expect(whole.common).to.deep.equal({ address: user.address, seq, time: whole.from });
    expect([whole.begins, whole.complete, whole.next, whole.more_differences]).to.deep.equal(['common', true, null, 0]);
    expect(whole.account).to.include({ address: user.address, name: null, terms: null, waiting: null });
    expect(whole.with).to.deep.include({ address: touch, name: 'touch', terms: { fill_model: 'touch' }, waiting: 0 });
    const [{ with: filled, stood, what }] = whole.differences;
    expect(what).to.equal('filled');
    const [fill] = await info('userFills', { user: touch });
    expect(filled.fill.fill).to.include({ tid: fill.tid, px: '99.9', sz: '6.0' });
    expect(filled.fill.evidence).to.deep.include({ source: 'trade', queueAhead: '50.0' });
    expect([stood.account.seq < (await compare(`with=${touch}`)).account.seq, stood.account.oid]).to.deep.equal([true, fill.oid]);
    for (const { curve } of [whole.account, whole.with]) {
      expect(curve.points.length).to.be.within(2, 1000);
      expect(curve.points[0].time >= whole.from).to.equal(true);
    }
    expect([whole.account, whole.with].map(({ curve }) => curve.points[0].time)[0]).to.equal(whole.with.curve.points[0].time);
    // The source has what the what-if has, less what the maker's 6 SOL have come to: its fee, and 0.1 USD a coin up to the mark of 100.
    const worth = [whole.account, whole.with].map(({ curve }) => Number(curve.points.at(-1).equity));
    expect((worth[1] ?? 0) - (worth[0] ?? 0)).to.be.closeTo(6 * 0.1 - 0.08991, 1e-6);

    // A fork of a fork: the acts of both since the source's entry, beside the source, the fork between them, and a fork of the
    // other line.
    const between = Number((await get(`overview?account=${touch}`)).headers.get('x-account-seq'));
    const body = { seq: between, name: 'of touch' };
    const nested = (await stack.call('POST', `${ACCOUNT}/fork?account=${touch}`, { key: user.apiKey, body })).body.address;
    expect(await found(`with=${nested}`, 1)).to.deep.equal([touched]);
    expect((await compare(`with=${nested}`)).common).to.include({ address: user.address, seq });
    const besideTouch = await compare(`account=${touch}&with=${nested}`);
    expect([besideTouch.common.address, besideTouch.common.seq, besideTouch.differences]).to.deep.equal([touch, between, []]);
    expect((await found(`account=${nested}&with=${fees}`, 2)).map(([why]) => why)).to.deep.equal(['fees', 'fill_model']);

    const later = await compare(`with=${fees}&since=${encodeURIComponent(whole.differences[0].time)}`);
    expect([later.begins, later.differences]).to.deep.equal(['since', []]);
    const other = await stack.register();
    const grid = await made('grid');
    const bound = await stack.call('POST', '/v1/auth/api-keys', { token: user.token, body: { name: 'bound', account: touch } });
    const refusals: [string, number, string][] = [
      ['', 400, 'invalid_request'],
      ['with=', 400, 'invalid_request'],
      ['with=me', 400, 'invalid_request'],
      [`with=${touch}&with=${fees}`, 400, 'invalid_request'],
      [`with=${user.address}`, 400, 'contradiction'],
      [`with=${touch}&since=2099-01-01T00:00:00Z`, 409, 'time_to_come'],
      [`with=${touch}&since=yesterday`, 400, 'invalid_request'],
      [`with=${other.address}`, 404, 'unknown_account'],
      [`account=${STRANGER}&with=${touch}`, 404, 'unknown_account'],
      [`with=${grid}`, 400, 'unrelated_accounts'],
    ];
    for (const [query, status, code] of refusals) {
      const answer = await get(`compare?${query}`);
      expect([answer.status, answer.body.code], query).to.deep.equal([status, code]);
    }
    const byBound = await get(`compare?with=${fees}`, bound.body.api_key);
    expect([byBound.status, byBound.body.code]).to.deep.equal([403, 'bound_key']);
    await stack.call('POST', `${ACCOUNT}/reset?account=${plain}`, { key: user.apiKey, body: {} });
    expect((await compare(`with=${plain}`)).code).to.equal('unrelated_accounts');
    await stack.call('POST', `${ACCOUNT}/reset`, { key: user.apiKey, body: {} });
    expect((await found(`with=${low}`, 3)).map(([why]) => why)).to.include('own_money');
  });

  it('a repeated request with its Idempotency-Key makes none a second time', async () => {
    const action = { type: 'createSubAccount', name: 'once' };
    const idempotencyKey = 'make-one';
    const first = await act(action, { idempotencyKey });
    expect(await act(action, { idempotencyKey, baseUrl: otherNode })).to.deep.equal(first);
    expect(await info('subAccounts')).to.have.length(1);
  });

  it('money moves between them and the master, exactly, and no more than there is', async () => {
    const sub = await made('grid');
    expect(await transfer(sub, true, 2500.000001)).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    expect([await worthOf(user.address), await worthOf(sub)]).to.deep.equal(['7499.999999', '2500.000001']);
    await transfer(sub, false, 0.000001);
    expect([await worthOf(user.address), await worthOf(sub)]).to.deep.equal(['7500.0', '2500.0']);
    const tooMuch = await transfer(sub, false, 2500.000001);
    expect(tooMuch.response).to.match(/^Insufficient balance for transfer/);
    expect((await transfer(sub, true, 0)).status).to.equal('err');
    for (const usd of [-1, 1.5, '5', null, 2 ** 53, 1e300]) {
      const { status } = await stack.exchange(user.apiKey, {
        type: 'subAccountTransfer',
        subAccountUser: sub,
        isDeposit: true,
        usd,
      });
      expect(status, String(usd)).to.equal(400);
    }
    expect((await transfer(STRANGER, true, 1)).response).to.equal(
      `Invalid sub-account transfer from ${user.address} to ${STRANGER}`,
    );
    expect((await transfer(STRANGER, false, 1)).response).to.equal(
      `Invalid sub-account transfer from ${STRANGER} to ${user.address}`,
    );
    const deltas = async (address: string) =>
      (await info('userNonFundingLedgerUpdates', { user: address, startTime: 0 })).map(({ delta }: { delta: object }) => delta);
    expect(await deltas(sub)).to.deep.equal([
      { type: 'subAccountTransfer', usdc: '2500.000001', user: user.address, destination: sub },
      { type: 'subAccountTransfer', usdc: '0.000001', user: sub, destination: user.address },
    ]);
    expect([await worthOf(user.address), await worthOf(sub)]).to.deep.equal(['7500.0', '2500.0']);
  });

  it('the same Idempotency-Key on two accounts is two requests; repeated on one it is one', async () => {
    const sub = await made('grid');
    await transfer(sub, true, 5000);
    const order = await asSol(buy);
    const idempotencyKey = 'the-same';
    const ofMaster = await act(order, { idempotencyKey });
    const ofSub = await act(order, { idempotencyKey, envelope: { vaultAddress: sub } });
    expect(ofSub.response.data.statuses[0].filled.oid).not.to.equal(ofMaster.response.data.statuses[0].filled.oid);
    expect(await act(order, { idempotencyKey, envelope: { vaultAddress: sub } })).to.deep.equal(ofSub);
    for (const address of [user.address, sub]) expect(await info('userFills', { user: address })).to.have.length(1);
    const moved = { type: 'subAccountTransfer', subAccountUser: sub, isDeposit: true, usd: 1_000_000 };
    const before = await worthOf(sub);
    for (let n = 0; n < 3; n++) expect((await act(moved, { idempotencyKey: 'moved' })).status).to.equal('ok');
    expect(Number(await worthOf(sub)) - Number(before)).to.be.closeTo(1, 1e-9);
  });

  it('vaultAddress names the account that acts; any other is refused, and nothing is done', async () => {
    const [first, second] = [await made('grid'), await made('hedge')];
    for (const sub of [first, second]) await transfer(sub, true, 1000);
    const order = await asSol(buy);
    const filled = async (vaultAddress: unknown) =>
      (await act(order, { envelope: { vaultAddress } })).response.data.statuses[0].filled;
    for (const vaultAddress of [first, first.slice(2), `0x${first.slice(2).toUpperCase()}`])
      expect(await filled(vaultAddress)).to.include({ totalSz: '1.0' });
    for (const vaultAddress of [undefined, null, user.address]) expect(await filled(vaultAddress)).to.include({ totalSz: '1.0' });
    const sizes = async (address: string) =>
      (await info('clearinghouseState', { user: address })).assetPositions.map(
        ({ position }: { position: { szi: string } }) => position.szi,
      );
    expect([await sizes(user.address), await sizes(first), await sizes(second)]).to.deep.equal([['3.0'], ['3.0'], []]);
    const other = await stack.register();
    const others = (await stack.exchange(other.apiKey, { type: 'createSubAccount', name: 'x' })).body.response.data;
    for (const address of [other.address, others, STRANGER, subAccountAddress(user.address, 3)]) {
      for (const action of [order, { type: 'noop' }, { type: 'updateLeverage', asset: 0, isCross: true, leverage: 3 }]) {
        const answer = await act(action, { envelope: { vaultAddress: address } });
        expect(answer).to.deep.equal({ status: 'err', response: `Vault not registered: ${address}` });
      }
      expect(await info('userFills', { user: address }), 'of others nothing is told').to.deep.equal(await info('userFills'));
    }
    for (const vaultAddress of ['', '0x12', `${first}0`, 5, {}, [first], true]) {
      const { status, body } = await stack.exchange(user.apiKey, order, { envelope: { vaultAddress } });
      expect([status, body.response], JSON.stringify(vaultAddress)).to.deep.equal([
        400,
        'Failed to deserialize the JSON body into the target type: vaultAddress must be 0x and 40 hex digits, or null',
      ]);
    }
    const dry = await act(order, { envelope: { vaultAddress: second, dryRun: true } });
    expect(dry.response.data.effect.before.accountValue).to.equal('1000.0');
    expect((await stack.info(other.apiKey, { type: 'userFills', user: first })).body).to.deep.equal([]);
  });

  it('each has histories, balance and end of its own: reset begins a sub-account with nothing, and no plan’s money comes', async () => {
    const sub = await made('grid');
    await transfer(sub, true, 1000);
    await act(await asSol(buy), { envelope: { vaultAddress: sub } });
    const { body: overview, headers } = await get(`overview?account=${sub}`);
    expect(overview).to.include({ net_deposits: '1000.0', open_orders: 0 });
    expect(Number(headers.get('x-account-seq'))).to.be.greaterThan(0);
    expect((await get(`positions?account=${sub}`)).body.items).to.have.length(1);
    expect((await get(`fills?account=${sub}`)).body.items).to.have.length(1);
    expect((await get('fills')).body.items).to.deep.equal([]);
    expect((await get(`analytics?account=${sub}`)).body.fills).to.equal(1);
    const sheet = (await get(`tearsheet/figures?account=${sub}`)).body;
    expect([sheet.account, sheet.name, sheet.figures.fills, sheet.trades]).to.deep.equal([sub, 'grid', 1, []]);
    expect((await get(`orders?account=${sub}`)).body.items).to.have.length(1);
    expect((await get(`equity-curve?account=${sub}`)).body.points.length).to.be.greaterThan(0);
    const post = (path: string, body: object = {}) => stack.call('POST', path, { key: user.apiKey, body });
    const topUp = await post(`/v1/auth/account/reset?account=${sub}`);
    expect([topUp.status, topUp.body.code]).to.deep.equal([400, 'sub_account']);
    const reset = await post(`${ACCOUNT}/reset?account=${sub}`);
    expect(reset.body.balance).to.equal('0.0');
    expect((await get(`fills?account=${sub}`)).body.items).to.deep.equal([]);
    expect(await worthOf(user.address)).to.equal('9000.0');
    expect((await post(`${ACCOUNT}/set-balance?account=${sub}`, { balance: 1234.5 })).body.balance).to.equal('1234.5');
    expect([await worthOf(sub), await worthOf(user.address)]).to.deep.equal(['1234.5', '9000.0']);
    const audit = (await stack.call('GET', '/v1/auth/audit', { token: user.token })).body.items;
    const acts = audit.filter(({ action }: { action: string }) => action.startsWith('account.'));
    expect(acts.map(({ action, account }: Record<string, string>) => [action, account])).to.deep.equal([
      ['account.balance_set', sub],
      ['account.reset', sub],
      ['account.registered', null],
    ]);
  });

  it('a reset of the master, or of one that has sent or received, leaves the others, their names and their money as they are', async () => {
    const [first, second] = [await made('grid'), await made('hedge')];
    await transfer(first, true, 1000);
    await transfer(second, true, 2000);
    await transfer(second, false, 500);
    const reset = (path: string) => stack.call('POST', `${ACCOUNT}/reset${path}`, { key: user.apiKey, body: {} });
    expect((await reset('')).body.balance).to.equal('10000.0');
    expect((await info('subAccounts')).map(({ name }: { name: string }) => name)).to.deep.equal(['grid', 'hedge']);
    expect([await worthOf(first), await worthOf(second)]).to.deep.equal(['1000.0', '1500.0']);
    await reset(`?account=${second}`);
    expect((await transfer(second, true, 100)).status).to.equal('ok');
    expect([await worthOf(user.address), await worthOf(first), await worthOf(second)]).to.deep.equal([
      '9900.0',
      '1000.0',
      '100.0',
    ]);
    expect((await get('group')).body.total).to.include({ balance: '11000.0', under_way_usd: '0.0' });
    expect(await made('third')).to.equal(subAccountAddress(user.address, 3));
  });

  it('the parameter account takes own accounts alone', async () => {
    await made('grid');
    const other = await stack.register();
    const refusals = async (account: string) => {
      const { status, body } = await get(`overview?account=${account}`);
      return [status, body.code];
    };
    for (const account of [other.address, STRANGER, subAccountAddress(user.address, 2), subAccountAddress(other.address, 1)])
      expect(await refusals(account)).to.deep.equal([404, 'unknown_account']);
    for (const account of ['0x', 'me', '%00', `${user.address}&account=${user.address}`, '<script>'])
      expect(await refusals(account), account).to.deep.equal([400, 'invalid_request']);
    for (const path of ['reset', 'set-balance']) {
      const { status, body } = await stack.call('POST', `${ACCOUNT}/${path}?account=${STRANGER}`, {
        key: user.apiKey,
        body: { balance: 5000 },
      });
      expect([status, body.code]).to.deep.equal([404, 'unknown_account']);
    }
    expect(await worthOf(user.address)).to.equal('10000.0');
  });

  it('a sub-account that nobody has touched is opened with nothing, whichever way is the first', async () => {
    await stack.mongo.db.collection<User>(collections.users).updateOne({ _id: user.userId }, { $set: { plan: 'pro' } });
    await announceUserChange(stack.redis, { userId: user.userId, digests: [] });
    const key = async (account: string): Promise<string> =>
      (await stack.call('POST', '/v1/auth/api-keys', { token: user.token, body: { name: 'bound', account } })).body.api_key;
    const order = await asSol(buy);
    const stream = async (address: string, type: string): Promise<void> => {
      const client = await StreamClient.connect(stack.baseUrl, { apiKey: user.apiKey });
      client.subscribe({ type, user: address });
      await client.next('subscriptionResponse');
      await client.stop();
    };
    const ways: Readonly<Record<string, (address: string) => Promise<unknown>>> = {
      state: (address) => info('clearinghouseState', { user: address }),
      history: (address) => info('userFills', { user: address }),
      'order status': (address) => info('orderStatus', { user: address, oid: 5 }),
      order: (vaultAddress) => act(order, { envelope: { vaultAddress } }),
      'dry run': (vaultAddress) => act(order, { envelope: { vaultAddress, dryRun: true } }),
      overview: (address) => get(`overview?account=${address}`),
      fills: (address) => get(`fills?account=${address}`),
      analytics: (address) => get(`analytics?account=${address}`),
      group: () => get('group'),
      'sub-accounts': () => info('subAccounts'),
      events: (address) => stream(address, 'orderUpdates'),
      'events with a past': (address) => stream(address, 'userFills'),
      states: (address) => stream(address, 'clearinghouseState'),
      'bound key asks': async (address) => stack.info(await key(address), { type: 'clearinghouseState' }),
      'bound key trades': async (address) => stack.exchange(await key(address), order),
      'transfer from it': (address) => transfer(address, false, 1),
    };
    for (const [name, touch] of Object.entries(ways)) {
      const sub = await made(name.slice(0, 16));
      await touch(sub);
      expect(await worthOf(sub), name).to.equal('0.0');
      expect(await info('userNonFundingLedgerUpdates', { user: sub, startTime: 0 }), name).to.deep.equal([]);
    }
    expect(await worthOf(user.address)).to.equal('10000.0');
  });

  it('the group has every account and sums that transfers never change, asked while they happen', async () => {
    const subs = [await made('a'), await made('b'), await made('c')];
    for (const sub of subs) await transfer(sub, true, 1000);
    let isOver = false;
    const asking = (async () => {
      const totals: string[] = [];
      while (!isOver) totals.push((await get('group')).body.total.balance);
      return totals;
    })();
    const moves = subs.flatMap((sub, n) => [0, 1, 2, 3, 4].map((m) => transfer(sub, (n + m) % 2 === 0, 7.000003 * (m + 1))));
    for (const answer of await Promise.all(moves)) expect(answer.status, JSON.stringify(answer)).to.equal('ok');
    isOver = true;
    const totals = await asking;
    expect(totals.length).to.be.greaterThan(0);
    expect(new Set(totals)).to.deep.equal(new Set(['10000.0']));
    const { accounts, total } = (await get('group')).body;
    expect(accounts.map(({ address, name }: Record<string, string>) => [address, name])).to.deep.equal([
      [user.address, null],
      ...subs.map((sub, n) => [sub, ['a', 'b', 'c'][n]]),
    ]);
    expect(total).to.include({ under_way_usd: '0.0', account_value: '10000.0', open_positions: 0 });
    for (const { seq, transfers_under_way } of accounts) expect([seq > 0, transfers_under_way]).to.deep.equal([true, []]);
  });

  it('deleting the user closes all of them', async () => {
    const sub = await made('grid');
    await transfer(sub, true, 1000);
    const rest = { ...(await asSol(buy)), orders: [{ ...(await asSol(buy)).orders[0], p: '50', t: { limit: { tif: 'Gtc' } } }] };
    expect((await act(rest, { envelope: { vaultAddress: sub } })).response.data.statuses[0]).to.have.property('resting');
    const { status } = await stack.call('DELETE', '/v1/auth/account', { token: user.token, body: { password: user.password } });
    expect(status).to.equal(200);
    const deleted = await stack.mongo.db.collection<{ _id: string }>(collections.deletedUsers).findOne({ _id: user.userId });
    expect(deleted).to.include({ address: user.address, subAccountsMade: 1 });
    const commits = await stack.redis.xrange(shardKeys.journal(shardOf(sub, 16)), '-', '+');
    const entries = commits.flatMap(([, fields]) => readEntries(fields[fields.indexOf('e') + 1] ?? '[]'));
    const types = entries.filter(({ accountId }) => accountId === sub).flatMap(({ events }) => events.map(({ type }) => type));
    expect(types).to.deep.equal(['accountOpened', 'transferReceived', 'orderRested', 'orderEnded']);
  });
});
