// A what-if through the whole service: however often owners and API nodes are killed, there is one fork of a request, and it has each
// command of its source once and in order: under the same terms it is its source.
import { expect } from 'chai';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { type OrderFields, orderAction } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const ACCOUNT = '/v1/exchanges/perpx/account';
const cloidOf = (number: number): string => `0x${String(number).padStart(32, '0')}`;

describe('a what-if', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;

  before(async () => {
    stack = await startStack({
      ...{ apis: 2, pods: 2 },
      env: { SHARDS: '4', LEASE_TTL_MS: '1000', MARKET_MAX_AGE_MS: '36000000' },
    });
    await setBooks(stack.market);
    user = await stack.register();
    await stack.act(user.apiKey, order({ px: '60000', cloid: cloidOf(0) }));
  });
  after(() => stack.stop());

  const order = (fields: Partial<OrderFields> = {}) => orderAction(BTC.asset, { px: '70000', sz: '0.001', ...fields });
  const group = async () => (await stack.call('GET', `${ACCOUNT}/group`, { key: user.apiKey })).body.accounts;
  const fork = (body: object, baseUrl = stack.baseUrl): Promise<Answer> =>
    stack.call('POST', `${ACCOUNT}/fork`, { key: user.apiKey, body, baseUrl });
  const seqNow = async (): Promise<number> =>
    Number((await stack.call('GET', `${ACCOUNT}/overview`, { key: user.apiKey })).headers.get('x-account-seq'));
  const stateOf = async (address: string) => {
    const ask = (type: string) => stack.ask(user.apiKey, { type, user: address });
    const [{ assetPositions, crossMarginSummary }, open] = await Promise.all([ask('clearinghouseState'), ask('openOrders')]);
    return {
      raw: crossMarginSummary.totalRawUsd,
      positions: assetPositions.map(({ position }: { position: Record<string, unknown> }) => [
        position['szi'],
        position['entryPx'],
      ]),
      open: open.map(({ oid, cloid }: Record<string, unknown>) => [oid, cloid]),
    };
  };

  it('is made once, whichever process is killed while it is made, and receives commands from then on', async () => {
    const seq = await seqNow();
    const made: string[] = [];
    for (const [at, victim] of ['api-0', 'actors-0', 'actors-1', 'api-0'].entries()) {
      const body = { name: `what if ${at}`, seq, what_if: {} };
      const asked = fork(body).catch(() => undefined);
      // At another step each time: the request has as many round trips.
      for (let turns = 0; turns < at * 3; turns++) await stack.redis.ping();
      await stack.kill(victim);
      await asked;
      await stack.restart(victim);
      await stack.waitHealthy();
      const again = await Promise.all(stack.baseUrls.map((baseUrl) => fork(body, baseUrl)));
      for (const { status, body: answer } of again) expect(status, JSON.stringify(answer)).to.equal(200);
      expect(again[0]?.body).to.deep.equal(again[1]?.body);
      made.push(again[0]?.body.address);
    }
    const [, ...others] = await group();
    expect(others.map(({ address }: { address: string }) => address)).to.deep.equal(made);
    for (const { what_if: whatIf } of others)
      expect(whatIf).to.deep.equal({ terms: {}, state: 'receiving', received: 0, waiting: 0 });
    const fifth = await fork({ name: 'fifth', seq, what_if: {} });
    expect([fifth.status, fifth.body.code]).to.deep.equal([400, 'fork_refused']);
  });

  it('has each command once and in order, whichever owner is killed: it is its source under the same terms', async () => {
    let sent = 0;
    const send = async (action: object): Promise<Answer> => {
      sent += 1;
      return stack.act(user.apiKey, action);
    };
    for (let round = 0; round < 4; round++) {
      const victim = `actors-${round % 2}`;
      for (let n = 1; n <= 6; n++) {
        const number = round * 10 + n;
        await send(order({ px: '60000', cloid: cloidOf(number) }));
        await send(order({ tif: 'Ioc', buy: n % 3 !== 0, px: n % 3 === 0 ? '60000' : '70000' }));
        if (n === 3) await stack.kill(victim);
        if (n % 2 === 0) await send({ type: 'cancelByCloid', cancels: [{ asset: BTC.asset, cloid: cloidOf(number - 1) }] });
      }
      await stack.restart(victim);
    }
    await stack.waitHealthy();
    const isThere = async (): Promise<boolean> =>
      (await group()).slice(1).every(({ what_if: whatIf }: { what_if: Record<string, unknown> }) => whatIf['waiting'] === 0);
    await until(isThere);
    const [source, ...others] = await group();
    const wanted = await stateOf(source.address);
    expect(wanted.positions).to.have.length(1);
    for (const { address, what_if: whatIf, fees_paid: fees } of others) {
      expect(whatIf).to.include({ state: 'receiving', received: sent });
      expect(await stateOf(address)).to.deep.equal(wanted);
      expect(fees).to.equal(source.fees_paid);
      const compared = (await stack.call('GET', `${ACCOUNT}/compare?with=${address}`, { key: user.apiKey })).body;
      expect([compared.complete, compared.differences], 'nothing to tell apart').to.deep.equal([true, []]);
    }
  });

  it('that was reset receives no more, and is told so; the others go on', async () => {
    const [, first, second] = await group();
    await stack.call('POST', `${ACCOUNT}/reset?account=${first.address}`, { key: user.apiKey, body: {} });
    await stack.act(user.apiKey, order({ px: '59000', cloid: cloidOf(99) }));
    await until(async () => (await group())[2].what_if.received === second.what_if.received + 1);
    const [, was, next] = await group();
    expect([was.fork, was.what_if, was.open_orders]).to.deep.equal([null, null, 0]);
    expect(next.what_if.state).to.equal('receiving');
    const sixth = await fork({ name: 'in its place', seq: await seqNow(), what_if: { leverage: 2 } });
    expect(sixth.status, 'the place is free').to.equal(200);
  });
});
