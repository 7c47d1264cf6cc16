// Addresses of the emulated venue are imported over HTTP: the parts that are taken and the parts that are not, hostile requests, a
// venue that is away, and every process killed around it. The venue's address is scripted, so the sums are made by hand.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SOURCE = `0x${'ab'.repeat(20)}`;
const NOBODY = `0x${'ef'.repeat(20)}`;
const IMPORT = '/v1/exchanges/perpx/account/import';

describe('import of an address', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let made = 0;

  before(async () => {
    stack = await startStack({ apis: 2, pods: 2, env: { SHARDS: '4', LEASE_TTL_MS: '1000', COMMAND_DEADLINE_MS: '2500' } });
    const { market } = stack;
    await market.control({ op: 'setBook', coin: 'SOL', bids: [['99.9', '50']], asks: [['100.1', '50']] });
    await market.control({ op: 'setPrice', coin: 'SOL', px: '100' });
    const positions = [
      { coin: 'SOL', szi: '20.03', entryPx: '90', leverage: 10 },
      { coin: 'NOPE', szi: '1', entryPx: '5', leverage: 3 },
    ];
    const spot = [{ coin: 'HYPE', total: '3.5' }];
    await market.control({ op: 'setUser', user: SOURCE, balance: '1000', positions, spot });
    const place = { act: 'place', coin: 'SOL', side: 'B', px: '95', sz: '4' } as const;
    for (const more of [
      { oid: 1, cloid: `0x${'0a'.repeat(16)}` },
      { oid: 2, px: '100.1' },
      { oid: 3, coin: '@107' },
    ])
      await market.control({ op: 'userAct', user: SOURCE, do: { ...place, ...more } });
    user = await stack.register();
    await until(async () => (await stack.info(user.apiKey, { type: 'allMids' })).body.SOL === '100.0');
  });
  after(() => stack.stop());

  const createSub = async (): Promise<string> => {
    made += 1;
    const answer = await stack.exchange(user.apiKey, { type: 'createSubAccount', name: `sub ${made}` });
    expect(answer.body.status, JSON.stringify(answer.body)).to.equal('ok');
    return answer.body.response.data;
  };
  const importTo = (account: string, body: object, baseUrl = stack.baseUrl): Promise<Answer> =>
    stack.call('POST', `${IMPORT}?account=${account}`, { key: user.apiKey, body, baseUrl });
  const stateOf = async (address: string) => (await stack.info(user.apiKey, { type: 'clearinghouseState', user: address })).body;
  const codeOf = ({ status, body }: Answer): string => `${status} ${body.code ?? body.error?.code}`;

  it('takes what can be taken, names the rest with a reason, and is told apart in the group; a dry run says it before', async () => {
    const sub = await createSub();
    const dry = await importTo(sub, { address: SOURCE, scale: '0.5', dryRun: true });
    expect(dry.status, JSON.stringify(dry.body)).to.equal(200);
    expect((await stateOf(sub)).marginSummary.accountValue).to.equal('0.0');
    const { body } = await importTo(sub, { address: SOURCE, scale: '0.5' });
    // SOL: 10.015 is cut to 10.01, gained 10 each. The address: 1000 + 20.03 * 10 = 1200.3, and half of it.
    expect(body).to.include({
      account: sub,
      address: SOURCE,
      scale: '0.5',
      account_value: '600.15',
      balance: '500.05',
      dry_run: false,
    });
    expect(body.positions).to.deep.equal([
      { coin: 'SOL', size: '10.01', entry_price: '90.0', leverage: 10, margin_mode: 'cross' },
    ]);
    expect(body.orders.map(({ source_oid }: { source_oid: number }) => source_oid)).to.deep.equal([1]);
    expect(body.left.map(({ kind, coin, reason }: Record<string, string>) => `${kind} ${coin} ${reason}`)).to.deep.equal([
      ...['balance HYPE spot', 'order @107 spot', 'position NOPE unlisted', 'order SOL would_trade'],
    ]);
    const same = ({ orders, message, seq, dry_run, taken_at, ...rest }: Answer['body']) => rest;
    expect(same(dry.body)).to.deep.equal(same(body));
    const state = await stateOf(sub);
    expect(state.marginSummary.accountValue).to.equal('600.15');
    expect(state.assetPositions[0].position).to.include({ coin: 'SOL', szi: '10.01', entryPx: '90.0', unrealizedPnl: '100.1' });
    const [order] = (await stack.info(user.apiKey, { type: 'frontendOpenOrders', user: sub })).body;
    expect(order).to.include({ oid: body.orders[0].oid, sz: '2.0', limitPx: '95.0', cloid: `0x${'0a'.repeat(16)}` });
    const { body: group } = await stack.call('GET', '/v1/exchanges/perpx/account/group', { key: user.apiKey });
    expect(group.total).to.include({ imported_usd: '500.05', forked_usd: '0.0' });
    const member = group.accounts.find(({ address }: { address: string }) => address === sub);
    expect(member.import).to.include({ address: SOURCE, scale: '0.5', seq: body.seq, usd: '500.05' });
    const again = await importTo(sub, { address: SOURCE.toUpperCase().replace('0X', '0x'), scale: '0.50' }, stack.baseUrls[1]);
    expect(again.body, 'the same request, at another node').to.deep.equal(body);
    expect(codeOf(await importTo(sub, { address: SOURCE, scale: '1' }))).to.equal('409 account_not_empty');
  });

  it('a unified account begins with its spot USDC; one whose collateral has no value here is refused with the reason', async () => {
    const unified = `0x${'0e'.repeat(20)}`;
    const positions = [
      { coin: 'SOL', szi: '20', entryPx: '90', leverage: 10 },
      { coin: 'xyz:TSLA', szi: '1', entryPx: '200', leverage: 5 },
    ];
    const set = { op: 'setUser', user: unified, balance: '5000', positions } as const;
    const sub = await createSub();
    await stack.market.control({ ...set, abstraction: 'portfolioMargin', spot: [{ coin: 'HYPE', total: '7', ltv: '0.65' }] });
    const refused = await importTo(sub, { address: unified });
    expect(codeOf(refused)).to.equal('400 import_refused');
    expect(JSON.stringify(refused.body)).to.include('HYPE is part of its collateral');
    await stack.market.control({ ...set, abstraction: 'unifiedAccount', spot: [{ coin: 'USDH', total: '7' }] });
    const { body } = await importTo(sub, { address: unified });
    // 5000 and 20 * (100 - 90): the state of its positions says 200, their margin.
    expect(body).to.include({ account_value: '5200.0', balance: '5000.0' });
    expect(body.left.map(({ kind, coin, reason }: Record<string, string>) => `${kind} ${coin} ${reason}`)).to.deep.equal([
      ...['balance USDH spot', 'position xyz:TSLA unlisted'],
    ]);
    const { marginSummary, assetPositions } = await stateOf(sub);
    expect(marginSummary.accountValue).to.equal('5200.0');
    expect(assetPositions[0].position.liquidationPx, 'far below 0').to.equal(null);
    await stack.market.control({ op: 'setUser', user: unified, balance: '0' });
  });

  it('its exported journal is verified by the program without our code', async () => {
    const sub = await createSub();
    await importTo(sub, { address: SOURCE, scale: '0.3' });
    const path = `/v1/exchanges/perpx/account/export?kind=journal&format=jsonl&account=${sub}`;
    const answer = await fetch(`${stack.baseUrl}${path}`, { headers: { 'X-API-Key': user.apiKey } });
    const folder = mkdtempSync(join(tmpdir(), 'paper-import-'));
    const file = join(folder, 'journal.jsonl');
    writeFileSync(file, await answer.text());
    const { stdout } = await promisify(execFile)('python3', ['-B', 'tools/verify/verify_journal.py', file]);
    rmSync(folder, { recursive: true });
    // 1200.3 * 0.3 less 6.00 * 10: the gain of the position is no part of the balance.
    expect(stdout).to.match(/^balance_usd 300\.090000 deposits 300\.090000 /);
  });

  it('requests that make no sense are refused and change nothing', async () => {
    const sub = await createSub();
    const cases: [body: object, want: string][] = [
      [{}, '400 invalid_request'],
      ...['0x12', 5, null, `0x${'zz'.repeat(20)}`, `${SOURCE}0`].map((address): [object, string] => [
        { address },
        '400 invalid_request',
      ]),
      ...['NaN', '0', '0.0', '-1', '1e3', 'Infinity', '1001', '0.000000001', '9'.repeat(50), 1, null, []].map(
        (scale): [object, string] => [{ address: SOURCE, scale }, '400 invalid_request'],
      ),
      [{ address: SOURCE, dryRun: 'no' }, '400 invalid_request'],
      [{ address: SOURCE, sclae: '1' }, '400 invalid_request'],
      [{ address: NOBODY }, '400 import_refused'],
    ];
    for (const [body, want] of cases) expect(codeOf(await importTo(sub, body)), JSON.stringify(body)).to.equal(want);
    expect(codeOf(await importTo(NOBODY, { address: SOURCE }))).to.equal('404 unknown_account');
    expect(codeOf(await importTo(user.address, { address: SOURCE }))).to.equal('400 import_refused');
    expect((await stateOf(sub)).marginSummary.accountValue).to.equal('0.0');
  });

  it('an answer of another form, and one of more than 4 MB, are refused; nothing of them is taken', async () => {
    const sub = await createSub();
    const odd = `0x${'0d'.repeat(20)}`;
    const cases: [coin: string, want: string][] = [
      ['', '502 upstream_unreadable'],
      ['x'.repeat(4_000_000), '400 upstream_refused'],
    ];
    for (const [coin, want] of cases) {
      await stack.market.control({ op: 'setUser', user: odd, balance: '1000', spot: [{ coin, total: '1' }] });
      expect(codeOf(await importTo(sub, { address: odd }))).to.equal(want);
      expect((await stateOf(sub)).marginSummary.accountValue).to.equal('0.0');
    }
    await stack.market.control({ op: 'setUser', user: odd, balance: '1000', spot: [{ coin: 'HYPE', total: '1' }] });
    // A mirror would pass over all that comes before that time.
    const early = { marginSummary: { accountValue: '1000.0' }, assetPositions: [], time: Date.now() + 3_600_000 };
    const answer = { type: 'clearinghouseState', status: 200, text: JSON.stringify(early), times: 2 };
    await stack.market.control({ op: 'answerNext', ...answer });
    expect(codeOf(await importTo(sub, { address: odd })), 'of a time that has not come').to.equal('502 upstream_unreadable');
    expect((await stateOf(sub)).marginSummary.accountValue).to.equal('0.0');
    expect((await importTo(sub, { address: odd })).status, 'the same account, when the answer can be read').to.equal(200);
  });

  it('every process dies around it: what was answered is there, once, and a retry is answered the same', async () => {
    const names = [...stack.processes.keys()].filter((name) => /^(api|actors)/.test(name));
    for (const [round, name] of names.entries()) {
      const sub = await createSub();
      const asked = importTo(sub, { address: SOURCE, scale: '0.1' }, stack.baseUrls[round % 2]).catch((error: Error) => error);
      await stack.kill(name);
      const first = await asked;
      await stack.restart(name);
      let again: Answer | undefined;
      await until(async () => {
        const answer = await importTo(sub, { address: SOURCE, scale: '0.1' }).catch(() => undefined);
        if (answer !== undefined) expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 503, 504]);
        again = answer?.status === 200 ? answer : undefined;
        return again !== undefined;
      });
      if (!(first instanceof Error) && first.status === 200) expect(first.body).to.deep.equal(again?.body);
      // 1200.3 * 0.1; the position is 2.00 of 2.003.
      expect((await stateOf(sub)).marginSummary.accountValue, name).to.equal('120.03');
      expect((await stateOf(sub)).assetPositions[0].position.szi).to.equal('2.0');
      const { body: ledger } = await stack.info(user.apiKey, { type: 'userNonFundingLedgerUpdates', user: sub, startTime: 0 });
      expect(ledger, 'one deposit').to.have.length(1);
    }
  });

  it('a venue that is away is an error, nothing has changed, and the request is answered when it is back', async () => {
    const sub = await createSub();
    await stack.market.control({ op: 'disconnect', refuseMs: 3000 });
    expect(codeOf(await importTo(sub, { address: SOURCE }))).to.equal('503 upstream_unavailable');
    expect((await stateOf(sub)).marginSummary.accountValue).to.equal('0.0');
    await until(async () => (await importTo(sub, { address: SOURCE })).status === 200);
  });
});
