// An address of the emulated venue is mirrored over HTTP: what its script does is done in the sub-account, also when the venue's connection
// breaks, and when any process dies. Each figure is worked out by hand from the script.
import { expect } from 'chai';
import type { UserAct } from '../../src/market/emulator/users/userAct.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const NOBODY = `0x${'ef'.repeat(20)}`;
const MIRROR = '/v1/exchanges/perpx/account/mirror';

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
    user = await stack.register();
    await until(async () => (await stack.info(user.apiKey, { type: 'allMids' })).body.SOL === '100.0');
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

  it('requests that make no sense are refused and change nothing; the service has a bound for all of its users', async () => {
    const account = await createSub();
    const cases: [body: object, want: string][] = [
      ...[{}, { address: '0x12' }, { address: 5 }, { address: NOBODY, scale: 'NaN' }, { address: NOBODY, scale: '0' }].map(
        (body): [object, string] => [body, '400 invalid_request'],
      ),
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
    await stack.market.control({ op: 'disconnect', refuseMs: 1500 });
    await act(address, { act: 'cancel', oid: 11 });
    await place(address, 13, { px: '93' });
    await place(address, 14, { px: '100.1', sz: '3', tif: 'Ioc' });
    await act(address, { act: 'fill', oid: 14, crossed: true });
    await untilOpen(account, ['B 4.0 93.0', 'B 4.0 94.0']);
    await untilPosition(account, '13.0');
    await call('DELETE', account);
  });

  it('every process dies while the address trades: each order and fill of it has its effect once', async () => {
    const address = await scripted();
    const account = await begun(address, '1');
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
    const { body: fills } = await stack.info(user.apiKey, { type: 'userFills', user: account });
    expect(fills, 'one for each that the address had').to.have.length(names.length);
  });
});
