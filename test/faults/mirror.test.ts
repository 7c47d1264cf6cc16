// An address of the emulated venue is mirrored over HTTP. The sub-account repeats the acts of the address's script, also when the
// venue's connection breaks, and when any process dies. Each figure is worked out by hand from the script.
import { expect } from 'chai';
import type { UserAct } from '../../src/market/emulator/venueUser.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { marketKeys } from '../../src/shared/redis/keys.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const NOBODY = `0x${'ef'.repeat(20)}`;
const MIRROR = '/v1/exchanges/perpx/account/mirror';
const DIVERGENCE = '/v1/exchanges/perpx/account/divergence';

describe('mirror of an address', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let made = 0;

  before(async () => {
    const env = { SHARDS: '4', LEASE_TTL_MS: '1000', COMMAND_DEADLINE_MS: '2500', MARKET_LEASE_TTL_MS: '1000', MIRRORS_MAX: '2' };
    stack = await startStack({ apis: 2, pods: 2, env });
    await stack.market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '5000']], asks: [['100.1', '5000']] });
    await stack.market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
    const { apiKey } = await stack.register();
    await until(async () => (await stack.info(apiKey, { type: 'allMids' })).body.SOL === '100.0');
  });
  // Of its own: a plan has ten sub-accounts.
  beforeEach(async () => {
    user = await stack.register();
  });
  after(() => stack.stop());

  const createSub = async (owner = user): Promise<string> => {
    made += 1;
    const answer = await stack.exchange(owner.apiKey, { type: 'createSubAccount', name: `sub ${made}` });
    expect(answer.body.status, JSON.stringify(answer.body)).to.equal('ok');
    return answer.body.response.data;
  };
  /** An address that has 10,000 USD and a position of 10 SOL. */
  const scripted = async (): Promise<string> => {
    made += 1;
    const address = `0x${made.toString(16).padStart(40, '0')}`;
    const positions = [{ coin: 'SOL', szi: '10', entryPx: '100', leverage: 10 }];
    await stack.market.control({ op: 'setUser', user: address, balance: '10000', positions });
    return address;
  };
  const act = (address: string, what: UserAct) => stack.market.control({ op: 'userAct', user: address, do: what });
  const place = (address: string, oid: number, fields: Partial<Extract<UserAct, { act: 'place' }>> = {}) =>
    act(address, { act: 'place', coin: 'SOL', side: 'B', px: '95', sz: '4', oid, ...fields });
  const call = (
    method: string,
    account: string,
    body?: object,
    { owner = user, baseUrl = stack.baseUrl } = {},
  ): Promise<Answer> => stack.call(method, `${MIRROR}?account=${account}`, { key: owner.apiKey, baseUrl, ...(body && { body }) });
  const begun = async (address: string, scale = '0.5'): Promise<string> => {
    const account = await createSub();
    const answer = await call('POST', account, { address, scale });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return account;
  };
  const codeOf = ({ status, body }: Answer): string => `${status} ${body.code ?? body.error?.code}`;
  const positionOf = async (account: string): Promise<string> => {
    const { body } = await stack.info(user.apiKey, { type: 'clearinghouseState', user: account });
    return body.assetPositions?.[0]?.position.szi ?? '0.0';
  };
  const openOf = async (account: string): Promise<string[]> => {
    const { body } = await stack.info(user.apiKey, { type: 'frontendOpenOrders', user: account });
    return body.map(({ side, sz, limitPx }: Record<string, string>) => `${side} ${sz} ${limitPx}`).sort();
  };
  const untilOpen = (account: string, want: string[]) =>
    until(async () => JSON.stringify(await openOf(account)) === JSON.stringify(want));
  /** As every node tells it. */
  const untilHeard = (account: string, since = '') =>
    until(async () => {
      const answers = await Promise.all(stack.baseUrls.map((baseUrl) => call('GET', account, undefined, { baseUrl })));
      return answers.every(({ body: { mirror } }) => {
        const isTrue = mirror.connected && mirror.caught_up && mirror.connected_since > since;
        return isTrue && mirror.heard >= mirror.connected_since;
      });
    });
  const untilPosition = (account: string, want: string) => until(async () => (await positionOf(account)) === want);

  it('orders, ends and fills of the address are done in the account, until it is stopped', async () => {
    const address = await scripted();
    await place(address, 1);
    const account = await begun(address);
    expect([await positionOf(account), await openOf(account)]).to.deep.equal(['5.0', ['B 2.0 95.0']]);
    // A limit order, and a stop that the WebSocket tells nothing of but its number.
    await place(address, 2, { side: 'A', px: '110', sz: '3', reduceOnly: true });
    const trigger = { px: '90', tpsl: 'sl', isMarket: true } as const;
    await place(address, 3, { side: 'A', px: '80', sz: '10', reduceOnly: true, trigger });
    await untilOpen(account, ['A 1.5 110.0', 'A 5.0 80.0', 'B 2.0 95.0']);
    await act(address, { act: 'cancel', oid: 1 });
    await untilOpen(account, ['A 1.5 110.0', 'A 5.0 80.0']);
    // An order that crosses: it buys 6, which is 3 here, at the ask of here.
    await place(address, 4, { px: '100.1', sz: '6', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 4, crossed: true });
    await untilPosition(account, '8.0');
    const { body: fills } = await stack.info(user.apiKey, { type: 'userFills', user: account });
    expect(fills[0]).to.include({ coin: 'SOL', px: '100.1', sz: '3.0', side: 'B', crossed: true });
    const { body: shown } = await call('GET', account);
    expect(shown.mirror).to.include({ account, address, scale: '0.5', state: 'following', copies: 2 });
    await untilHeard(account);
    // Either of the two nodes follows the address.
    const told = await Promise.all(
      [...stack.processes.keys()].filter((name) => name.startsWith('api')).map((name) => stack.metrics(name)),
    );
    const sumOf = (state: string): number =>
      told.reduce(
        (sum, text) => sum + Number(new RegExp(`^api_mirrors\\{[^}]*state="${state}"[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1]),
        0,
      );
    expect([sumOf('followed'), sumOf('connected')]).to.deep.equal([1, 1]);
    expect((await call('POST', account, { address, scale: '0.50' })).body.mirror.since, 'the same again').to.equal(
      shown.mirror.since,
    );
    expect(codeOf(await call('POST', account, { address, scale: '1' }))).to.equal('409 mirror_exists');
    expect(codeOf(await call('POST', await createSub(), { address }))).to.equal('409 mirror_limit');
    expect((await call('DELETE', account)).status).to.equal(200);
    expect(codeOf(await call('DELETE', account))).to.equal('404 unknown_mirror');
    expect((await call('GET', account)).body).to.deep.equal({ mirror: null });
    await act(address, { act: 'cancel', oid: 2 });
    expect(await openOf(account), 'what is open stays').to.deep.equal(['A 1.5 110.0', 'A 5.0 80.0']);
  });

  it('the divergence report has each fill of the address beside ours, with what the difference comes from', async () => {
    const address = await scripted();
    const account = await begun(address);
    const report = async (query = ''): Promise<Answer> =>
      stack.call('GET', `${DIVERGENCE}?account=${account}${query}`, { key: user.apiKey });
    const untilFills = (count: number) => until(async () => (await report()).body.total.fills === count);
    expect((await report()).body).to.deep.include({ account, address, scale: '0.5', fills: [], begins: 'whole', next: null });
    // It buys 6 at 100, which is 3 here, at the ask of here: 0.3 USD. 0.135135 of fees in place of 0.135.
    await place(address, 4, { px: '100', sz: '6', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 4, crossed: true });
    await untilPosition(account, '8.0');
    await untilFills(1);
    // An order of 2 at 80 that fills there alone: the shown book stays, and its copy of 1 is cancelled. 100 - 80 at the mark, 0.012 of fees.
    await place(address, 5, { px: '80', sz: '2' });
    await untilOpen(account, ['B 1.0 80.0']);
    await act(address, { act: 'fill', oid: 5 });
    await untilFills(2);
    await untilOpen(account, []);
    const { body, status } = await report();
    expect(status).to.equal(200);
    const none = { usd: '0.0', bps: '0.0' };
    const amount = (usd: string, bps: string) => ({ usd, bps });
    const [bought, missed] = body.fills;
    const { time, heard, seq, real, ...row } = bought;
    expect([Date.parse(time) > 0, Date.parse(heard) > 0, seq > 1, real.tid > 0]).to.deep.equal([true, true, true, true]);
    expect(real).to.deep.include({ oid: 4, price: '100.0', size: '6.0', fee: '0.27', liquidity: 'taker' });
    expect(row).to.deep.equal({
      ...{ coin: 'SOL', side: 'buy', scaled_size: '3.0', by: 'order', state: 'filled', waiting_size: '0.0' },
      ours: { size: '3.0', usd: '300.3', price: '100.1', fee: '0.135135' },
      ...{ touch: '100.1', mark: '100.0', text: null },
      causes: { delay: amount('0.3', '10.0'), price: none, missed: none, partial: none, fees: amount('0.000135', '0.0045') },
      difference: amount('0.300135', '10.0045'),
    });
    expect(missed).to.deep.include({
      ...{ scaled_size: '1.0', by: 'copy', state: 'missed', waiting_size: '0.0' },
      ours: { size: '0.0', usd: '0.0', price: null, fee: '0.0' },
      causes: { delay: none, price: none, missed: amount('20.0', '2500.0'), partial: none, fees: amount('-0.012', '-1.5') },
      difference: amount('19.988', '2498.5'),
    });
    const sums = {
      ...{ fills: 2, states: { filled: 1, partial: 0, missed: 1, waits: 0, unread: 0 }, usd: '380.0' },
      causes: {
        ...{ delay: amount('0.3', '7.8947'), price: none, missed: amount('20.0', '526.3158'), partial: none },
        fees: amount('-0.011865', '-0.3122'),
      },
      difference: amount('20.288135', '533.8983'),
    };
    expect([body.page, body.total]).to.deep.equal([sums, sums]);
    expect(body).to.include({ unclaimed_usd: '0.0', complete: true, entries_lost: 0 });
    const { body: rest } = await report(`&since=${encodeURIComponent(heard)}`);
    expect([rest.fills, rest.total]).to.deep.equal([[missed], sums]);
    expect(codeOf(await report('&since=2999-01-01T00:00:00Z'))).to.equal('409 time_to_come');
    // The past of the mirror can be read when the mirror has ended, too.
    await call('DELETE', account);
    expect((await report()).body.total).to.deep.equal(sums);
    const other = await stack.call('GET', `${DIVERGENCE}?account=${await createSub()}`, { key: user.apiKey });
    expect(codeOf(other)).to.equal('404 unknown_mirror');
    const stranger = await stack.register();
    const theirs = await stack.call('GET', `${DIVERGENCE}?account=${account}`, { key: stranger.apiKey });
    expect(codeOf(theirs)).to.equal('404 unknown_account');
  });

  it('requests that make no sense are refused and change nothing; the service has a bound for all of its users', async () => {
    const account = await createSub();
    const cases: [body: object, want: string][] = [
      ...[{}, { address: '0x12' }, { address: 5 }].map((body): [object, string] => [body, '400 invalid_request']),
      ...[
        'NaN',
        '0',
        '0.0',
        '-1',
        '',
        ' 1',
        '1e3',
        '0x1',
        '٣',
        '1001',
        '1000.00000001',
        '0.000000001',
        '9'.repeat(400),
        1,
        null,
        [],
      ].map((scale): [object, string] => [{ address: NOBODY, scale }, '400 invalid_request']),
      [{ address: NOBODY, dryRun: true }, '400 invalid_request'],
      [{ address: NOBODY }, '400 import_refused'],
    ];
    for (const [body, want] of cases) expect(codeOf(await call('POST', account, body)), JSON.stringify(body)).to.equal(want);
    expect(codeOf(await call('POST', NOBODY, { address: NOBODY }))).to.equal('404 unknown_account');
    expect(codeOf(await call('POST', user.address, { address: NOBODY }))).to.equal('400 mirror_refused');
    const owners = [await stack.register(), await stack.register(), await stack.register()];
    const answers: string[] = [];
    for (const owner of owners) {
      const sub = await createSub(owner);
      const answer = await call('POST', sub, { address: await scripted() }, { owner });
      answers.push(answer.status === 200 ? sub : codeOf(answer));
    }
    expect(answers[2], 'MIRRORS_MAX is 2').to.equal('409 mirror_limit');
    for (const at of [0, 1] as const) await call('DELETE', String(answers[at]), undefined, { owner: owners[at] });
  });

  it('what happens while the venue’s connection is broken is made up for, once', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    await place(address, 11);
    await place(address, 12, { px: '94' });
    await untilOpen(account, ['B 4.0 94.0', 'B 4.0 95.0']);
    await untilHeard(account);
    const { mirror: before } = (await call('GET', account)).body;
    await stack.market.control({ op: 'disconnect', refuseMs: 600_000 });
    const shown = async () => (await call('GET', account)).body.mirror;
    await until(async () => !(await shown()).connected);
    const { connected_since: since, heard, caught_up: isCaughtUp } = await shown();
    expect([since, isCaughtUp, heard >= before.heard]).to.deep.equal([null, false, true]);
    await act(address, { act: 'cancel', oid: 11 });
    await place(address, 13, { px: '93' });
    await place(address, 14, { px: '100.1', sz: '3', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 14, crossed: true });
    expect(await openOf(account), 'nothing is heard').to.deep.equal(['B 4.0 94.0', 'B 4.0 95.0']);
    await stack.market.control({ op: 'disconnect' });
    await untilOpen(account, ['B 4.0 93.0', 'B 4.0 94.0']);
    await untilPosition(account, '13.0');
    await untilHeard(account, before.connected_since);
    await call('DELETE', account);
  });

  it('fills of a time that has not come, and frames about another address, change nothing; what comes later is done', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    await untilHeard(account);
    const wire = (oid: number, time: number) => ({
      ...{ coin: 'SOL', px: '100.1', sz: '1', side: 'B', time, startPosition: '10.0', oid, crossed: true, fee: '0.0', tid: oid },
    });
    const early = wire(31, Date.now() + 3_600_000);
    const send = (who: string, fill: object) =>
      stack.market.control({ op: 'send', text: JSON.stringify({ channel: 'userFills', data: { user: who, fills: [fill] } }) });
    await send(address, early);
    await send(NOBODY, wire(32, Date.now()));
    await place(address, 33, { px: '100.1', sz: '2', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 33, crossed: true });
    await untilPosition(account, '12.0');
    // The same where the address is asked about as a whole: it is caught up when the venue tells of no such fill any more.
    const { mirror: before } = (await call('GET', account)).body;
    await stack.market.control({ op: 'disconnect', refuseMs: 600_000 });
    await until(async () => !(await call('GET', account)).body.mirror.connected);
    await place(address, 34, { px: '100.1', sz: '3', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 34, crossed: true });
    const answer = { type: 'userFillsByTime', status: 200, text: JSON.stringify([early]), times: 2 };
    await stack.market.control({ op: 'answerNext', ...answer });
    await stack.market.control({ op: 'disconnect' });
    await untilPosition(account, '15.0');
    await untilHeard(account, before.connected_since);
    const { mirror } = (await call('GET', account)).body;
    expect(Date.parse(mirror.through) < early.time - 1_800_000, mirror.through).to.equal(true);
    const { body: fills } = await stack.info(user.apiKey, { type: 'userFills', user: account });
    expect(
      fills.map(({ sz }: { sz: string }) => sz),
      'newest first',
    ).to.deep.equal(['3.0', '2.0']);
    await call('DELETE', account);
  });

  it('sixty new orders at once are all placed, and cancelled at once', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    await untilHeard(account);
    const prices = Array.from({ length: 60 }, (_, at) => 31 + at);
    await Promise.all(prices.map((px) => place(address, 1000 + px, { px: String(px), sz: '1' })));
    await untilOpen(account, prices.map((px) => `B 1.0 ${px}.0`).sort());
    expect((await call('GET', account)).body.mirror.copies).to.equal(60);
    await Promise.all(prices.map((px) => act(address, { act: 'cancel', oid: 1000 + px })));
    await untilOpen(account, []);
    await untilHeard(account);
    await call('DELETE', account);
  });

  it('what the venue refuses, limits or garbles holds the mirror up, and nothing is lost or done twice', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    await untilHeard(account);
    const garbled: [type: string, status: number, text: string][] = [
      ['orderStatus', 429, ''],
      ['orderStatus', 200, '{'],
      ['orderStatus', 200, '{"status":"order","order":{"order":{"oid":"1"},"status":"open"}}'],
      ['frontendOpenOrders', 502, 'no gateway'],
      ['userFillsByTime', 200, '[{"tid":1}]'],
    ];
    const open: string[] = [];
    for (const [round, [type, status, text]] of garbled.entries()) {
      const oid = 200 + 10 * round;
      await stack.market.control({ op: 'answerNext', type, status, text, times: 2 });
      // A question about the whole address comes only after a new order whose form was garbled, or after the connection broke.
      if (type !== 'orderStatus') await stack.market.control({ op: 'disconnect' });
      await place(address, oid, { px: String(70 + round), sz: '1' });
      await place(address, oid + 1, { px: '100.1', sz: '1', tif: 'Ioc' });
      await act(address, { act: 'fill', oid: oid + 1, crossed: true });
      open.push(`B 1.0 ${70 + round}.0`);
      await untilOpen(account, open);
      await untilPosition(account, `${11 + round}.0`);
      await untilHeard(account);
    }
    const { body: fills } = await stack.info(user.apiKey, { type: 'userFills', user: account });
    expect(fills).to.have.length(garbled.length);
    await call('DELETE', account);
  });

  it('a mirror that ends by itself says why in the audit log of its user, once', async () => {
    const owner = await stack.register();
    const address = await scripted();
    const account = await createSub(owner);
    const follow = async () => expect((await call('POST', account, { address }, { owner })).status).to.equal(200);
    const ends = async (): Promise<string[]> => {
      const { body } = await stack.call('GET', '/v1/auth/audit?limit=100', { token: owner.token });
      const rows = body.items.filter(({ action }: { action: string }) => action === 'mirror.ended');
      for (const row of rows) expect(row).to.include({ actor: 'job:mirrors', account, outcome: 'ok', address: null });
      return rows.map(({ detail }: { detail: string }) => detail);
    };
    const forgotten = `${address}, times 1: the account follows no address any more: it was reset, or has lost entries of its journal`;
    await follow();
    await stack.call('POST', `/v1/exchanges/perpx/account/reset?account=${account}`, { key: owner.apiKey, body: {} });
    expect((await call('GET', account, undefined, { owner })).body).to.deep.equal({ mirror: null });
    // The next thing that the address does is refused by the account.
    await place(address, 41);
    await until(async () => (await ends()).length > 0);
    await follow();
    expect(await ends()).to.deep.equal([forgotten]);
    const mirrors = stack.mongo.db.collection(collections.mirrors);
    await stack.mongo.db
      .collection<{ _id: string }>(collections.users)
      .updateOne({ _id: owner.userId }, { $set: { trialExpiresAt: new Date(0) } });
    // A node that begins to follow looks at once.
    const names = [...stack.processes.keys()].filter((name) => name.startsWith('api'));
    for (const name of names) await stack.kill(name);
    for (const name of names) await stack.restart(name);
    await stack.waitHealthy();
    await until(async () => (await mirrors.countDocuments({ account })) === 0);
    expect((await call('GET', account, undefined, { owner })).body).to.deep.equal({ mirror: null });
    expect(await ends()).to.deep.equal([`${address}, times 1: its user may trade no more`, forgotten]);
  });

  it('an end that was noted is completed by whoever comes next, with one row: the node that follows, or a request that begins anew', async () => {
    const owner = await stack.register();
    const address = await scripted();
    const account = await createSub(owner);
    const follow = () => call('POST', account, { address }, { owner });
    const mirrors = stack.mongo.db.collection<{ _id: string; ending?: object }>(collections.mirrors);
    const idOf = async (): Promise<string | undefined> => (await mirrors.findOne({ account }))?._id;
    const at = new Date();
    const noteEnd = (why: string) => mirrors.updateOne({ account }, { $set: { ending: { why, at } } });
    const ends = async (): Promise<string[]> => {
      const { body } = await stack.call('GET', '/v1/auth/audit?limit=100', { token: owner.token });
      const rows = body.items.filter(({ action }: { action: string }) => action === 'mirror.ended');
      return rows.map(({ detail }: { detail: string }) => detail.replace(`${address}, times 1: `, ''));
    };
    // The state that a process leaves when it dies after the note.
    expect((await follow()).status).to.equal(200);
    const dead = await mirrors.findOne({ account });
    await noteEnd('first');
    await until(async () => (await idOf()) === undefined);
    expect((await call('GET', account, undefined, { owner })).body).to.deep.equal({ mirror: null });
    // The same for a process that has died before it removed the mirror: all else was done.
    expect(dead).to.not.equal(null);
    if (dead !== null) await mirrors.insertOne({ ...dead, ending: { why: 'first', at } });
    await until(async () => (await idOf()) === undefined);
    expect(await ends()).to.deep.equal(['first']);
    // A request that comes meanwhile begins another one, which stays.
    expect((await follow()).status).to.equal(200);
    const ended = await idOf();
    await noteEnd('second');
    expect((await call('GET', account, undefined, { owner })).body).to.deep.equal({ mirror: null });
    expect((await follow()).status).to.equal(200);
    const next = await idOf();
    expect(next).to.not.be.oneOf([undefined, ended]);
    expect((await ends()).sort()).to.deep.equal(['first', 'second']);
    await place(address, 51, { px: '100.1', sz: '2', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 51, crossed: true });
    await until(async () => {
      const { body } = await stack.info(owner.apiKey, { type: 'clearinghouseState', user: account });
      return body.assetPositions[0].position.szi === '12.0';
    });
    expect(await idOf()).to.equal(next);
    await call('DELETE', account, undefined, { owner });
  });

  it('Redis loses who follows: the address is followed under a higher term, and nothing is done twice', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    await place(address, 21);
    await untilOpen(account, ['B 4.0 95.0']);
    const term = Number(await stack.redis.get(marketKeys.mirrorTerm));
    await stack.redis.del(marketKeys.mirrorLease, marketKeys.mirrorTerm);
    await place(address, 22, { px: '100.1', sz: '3', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 22, crossed: true });
    await until(async () => Number(await stack.redis.get(marketKeys.mirrorTerm)) > term);
    await place(address, 23, { px: '94' });
    await act(address, { act: 'cancel', oid: 21 });
    await untilOpen(account, ['B 4.0 94.0']);
    await untilPosition(account, '13.0');
    await untilHeard(account);
    const { body: fills } = await stack.info(user.apiKey, { type: 'userFills', user: account });
    expect(fills).to.have.length(1);
    await call('DELETE', account);
  });

  it('every process dies while the address trades: each order and fill of it has its effect once', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
    const accountPath = (what: string): string => `/v1/exchanges/perpx/account/${what}account=${account}`;
    const { headers } = await stack.call('GET', accountPath('overview?'), { key: user.apiKey });
    const body = { name: 'what if', seq: Number(headers.get('x-account-seq')), what_if: {} };
    const { body: whatIf } = await stack.call('POST', accountPath('fork?'), { key: user.apiKey, body });
    const names = [...stack.processes.keys()].filter((name) => /^(api|actors)/.test(name));
    let position = 10;
    for (const [round, name] of names.entries()) {
      const oid = 100 + 10 * round;
      await place(address, oid, { px: String(60 + round) });
      await place(address, oid + 1, { px: '100.1', sz: '2', tif: 'Ioc' });
      const dying = stack.kill(name);
      await act(address, { act: 'fill', oid: oid + 1, crossed: true });
      if (round > 0) await act(address, { act: 'cancel', oid: oid - 10 });
      await dying;
      await stack.restart(name);
      position += 2;
      await until(async () => (await positionOf(account).catch(() => '')) === `${position}.0`);
      await untilOpen(account, [`B 4.0 ${60 + round}.0`]);
    }
    const fillsOf = async (of: string) => (await stack.info(user.apiKey, { type: 'userFills', user: of })).body;
    expect(await fillsOf(account), 'one for each that the address had').to.have.length(names.length);
    await until(async () => (await positionOf(whatIf.address)) === `${position}.0`);
    await untilOpen(whatIf.address, await openOf(account));
    expect(await fillsOf(whatIf.address), 'its what-if has the same orders').to.have.length(names.length);
    const { body: compared } = await stack.call('GET', accountPath(`compare?with=${whatIf.address}&`), { key: user.apiKey });
    expect([compared.complete, compared.differences]).to.deep.equal([true, []]);
  });
});
