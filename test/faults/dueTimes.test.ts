import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type AccountEntry, readEntries } from '../../src/actors/core/messages/entry.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { hastyTime } from '../support/faults/hastyTime.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const ACTORS = fileURLToPath(new URL('../support/faults/hastyActors.ts', import.meta.url));
const SHARDS = 4;
const KILLS = 3;
/** Eleven slices of 0.01 over five minutes. */
const TWAP = { a: BTC.asset, b: true, s: '0.11', r: false, m: 5, t: false };
const SLICES = 11;

interface SliceFill {
  readonly fill: { readonly oid: number; readonly sz: string };
  readonly twapId: number;
}

describe('kill -9 of the actors while something is due', function () {
  this.timeout(600_000);
  const fromMs = Date.now();
  const time = hastyTime(fromMs);
  let stack: Stack;
  let account: TestAccount;

  before(async () => {
    const env = { SHARDS: String(SHARDS), LEASE_TTL_MS: '1000', MARKET_MAX_AGE_MS: '36000000', HASTE_FROM_MS: String(fromMs) };
    stack = await startStack({ env, entries: { actors: ['--import', 'tsx', ACTORS] } });
    await setBooks(stack.market);
  });
  after(() => stack.stop());
  beforeEach(async () => {
    account = await stack.register();
  });

  const info = (type: string) => stack.ask(account.apiKey, { type, user: account.address });
  const slices = async (): Promise<SliceFill[]> => (await info('userTwapSliceFills')) ?? [];
  const killAndRestart = async (): Promise<void> => {
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    await until(async () => Array.isArray(await slices()));
  };
  const journal = async (): Promise<AccountEntry[]> => {
    const commits = await stack.redis.xrange(shardKeys.journal(shardOf(account.address, SHARDS)), '-', '+');
    const entries = commits.flatMap(([, fields]) => {
      const at = fields.indexOf('e');
      return at === -1 || !fields[at + 1] ? [] : readEntries(fields[at + 1] as string);
    });
    return entries.filter(({ accountId }) => accountId === account.address);
  };

  it('edge 84: the slices of a TWAP go on, none is sent twice', async () => {
    const { body } = await stack.act(account.apiKey, { type: 'twapOrder', twap: TWAP });
    const { twapId } = body.response.data.status.running;
    const newest = async () => (await info('twapHistory'))[0];
    const isFinished = async (): Promise<boolean> => (await newest()).status.status === 'finished';
    let kills = 0;
    // A slow machine has fewer starts in the time of a TWAP.
    while (kills < KILLS && !(await isFinished())) {
      const before = (await slices()).length;
      await until(async () => (await slices()).length > before || (await isFinished()));
      await killAndRestart();
      kills += 1;
    }
    await until(isFinished);
    expect(kills).to.be.at.least(1);

    const events = (await journal()).flatMap((entry) => entry.events);
    const turns = events.flatMap((event) => (event.type === 'twapSliced' ? [event.slice] : []));
    expect(turns).to.deep.equal([...new Set(turns)].sort((a, b) => a - b));
    expect(turns.at(-1)).to.equal(SLICES - 1);
    const byOid = new Map<number, number>();
    for (const { fill, twapId: of } of await slices()) {
      expect(of).to.equal(twapId);
      byOid.set(fill.oid, (byOid.get(fill.oid) ?? 0) + Math.round(Number(fill.sz) * 1e5));
    }
    expect(byOid.size).to.be.within(kills, turns.length);
    for (const lots of byOid.values()) expect(lots).to.be.within(1, 3000);
    const executed = [...byOid.values()].reduce((sum, lots) => sum + lots, 0);
    expect(executed).to.be.at.most(11_000);
    expect(Math.round(Number((await newest()).state.executedSz) * 1e5)).to.equal(executed);
    const { assetPositions } = await info('clearinghouseState');
    expect(Math.round(Number(assetPositions[0].position.szi) * 1e5)).to.equal(executed);
  });

  it('a TWAP that waits for its trigger waits on after a kill, and is started once; what it sent still counts', async () => {
    const { body } = await stack.act(account.apiKey, {
      // A day, so that it still runs when a slow machine has started the actors again.
      ...{ type: 'twapOrder', twap: { ...TWAP, m: 1440 } },
      details: { t: { p: '70000', a: true }, s: null },
    });
    const { twapId } = body.response.data.status.running;
    const statuses = async () => (await info('twapHistory')).map(({ status }: { status: { status: string } }) => status.status);
    const { nRequestsUsed } = await info('userRateLimit');
    await killAndRestart();
    expect(await statuses()).to.deep.equal(['waitingForTrigger']);
    expect(await info('userRateLimit')).to.include({ nRequestsUsed, nRequestsCap: 10_000 });

    await stack.market.control({ op: 'setMark', coin: 'BTC', px: '70000' });
    await until(async () => (await statuses()).includes('activated'));
    await killAndRestart();
    await until(async () => (await slices()).length > 0);
    const { body: canceled } = await stack.act(account.apiKey, { type: 'twapCancel', a: BTC.asset, t: twapId });
    expect(canceled.response.data.status).to.equal('success');
    const events = (await journal()).flatMap((entry) => entry.events);
    expect(events.filter(({ type }) => type === 'twapStarted')).to.have.length(1);
    expect(events.filter(({ type }) => type === 'twapTriggered')).to.have.length(1);
    const turns = events.flatMap((event) => (event.type === 'twapSliced' ? [event.slice] : []));
    expect(turns).to.deep.equal([...new Set(turns)].sort((a, b) => a - b));
    expect(await statuses()).to.deep.equal(['terminated', 'activated', 'waitingForTrigger']);
    await stack.market.control({ op: 'setMark', coin: 'BTC', px: '65000' });
  });

  it('edge 87: a scheduled cancel that was due meanwhile comes before the next command', async () => {
    const rest = async (px: string): Promise<number> => {
      const { body } = await stack.act(account.apiKey, orderAction(BTC.asset, { px, sz: '0.001' }));
      return body.response.data.statuses[0].resting.oid;
    };
    const old = await rest('60000');
    const schedule = async (aheadMs: number): Promise<number> => {
      const dueMs = time.of(Date.now()) + aheadMs;
      const { body } = await stack.act(account.apiKey, { type: 'scheduleCancel', time: dueMs });
      // Half a second of the clock at first. Where that is over before it is heard, it is asked for later.
      if (/too early/.test(body.response)) return schedule(2 * aheadMs);
      expect(body).to.deep.equal({ status: 'ok', response: { type: 'default' } });
      return dueMs;
    };
    const dueMs = await schedule(10_000);
    const lease = shardKeys.lease(shardOf(account.address, SHARDS));
    const killed = await stack.redis.get(lease);
    await stack.kill('actors-0');
    await until(() => time.of(Date.now()) > dueMs);
    await stack.restart('actors-0');
    // A command sent earlier may expire while a slow machine still starts the process.
    await until(async () => ![null, killed].includes(await stack.redis.get(lease)));
    const fresh = await rest('60001');
    const open: { oid: number }[] = await info('openOrders');
    expect(open.map(({ oid }) => oid)).to.deep.equal([fresh]);
    const changes: { order: { oid: number }; status: string }[] = await info('historicalOrders');
    expect(changes.map(({ order, status }) => [order.oid, status])).to.deep.equal([
      [fresh, 'open'],
      [old, 'scheduledCancel'],
      [old, 'open'],
    ]);
  });
});
