import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { Rules } from '../../src/actors/core/rules.ts';
import type { JournalPositionDocument } from '../../src/actors/engine/journal/journalPosition.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { liquidationScan } from '../../src/jobs/liquidationScan.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { newestFormats } from '../support/formats.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
/** 6 BTC at 65,001 are 390,006 USD; 10,000 USD less the fee of 175.5 carry them to 64,160 or so at 40x, to the house at 63,900. */
const SIZE = '6';

describe('liquidation: found at once, and by the scan when not', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;
  let next = 0;

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500', SHARDS: '1' });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());
  afterEach(async () => {
    for (const pod of bench.pods) await bench.stopPod(pod);
    await bench.market.setMark('BTC', '65000');
    await bench.market.refresh();
  });

  const start = async (rules?: Partial<Rules>): Promise<Registry> => {
    const registry = new Registry();
    await bench.startOnlyPod({ registry, ...(rules && { rules }) });
    return registry;
  };

  const longAtRisk = async (): Promise<string> => {
    next += 1;
    const account = accountName(next);
    await gateway.send(account, commands.open, ask);
    const leverage = { type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: 40 } as const;
    await gateway.send(account, leverage, ask);
    const outcome = await gateway.send(account, commands.place({ size: SIZE, limitPrice: '65100' }), ask);
    expect(outcome).to.have.nested.property('orders[0].type', 'filled');
    return account;
  };

  const isFlat = async (account: string): Promise<boolean> => {
    const answer = answerOf(await gateway.send(account, commands.state, ask));
    return answer.kind === 'accountState' && answer.state.positions.length === 0;
  };

  const missed = async (registry: Registry): Promise<number> =>
    (await registry.getSingleMetric('actor_missed_liquidations_total')?.get())?.values[0]?.value ?? Number.NaN;

  const house = async () =>
    (await bench.mongo.db.collection<JournalPositionDocument>(collections.shards).findOne({ _id: 0 }))?.house;

  const scan = (periodMs: number) =>
    liquidationScan(5000).run(
      { config: bench.config, log: bench.log, redis: bench.redis, mongo: bench.mongo, formats: newestFormats, now: Date.now },
      periodMs,
    );

  const scanned = async (periodMs: number): Promise<void> => {
    await scan(periodMs);
    await until(async () => (await bench.redis.exists('{s00}:cmd:_shard')) === 0);
  };

  it('a mark that moves far enough has what no bid is there for taken at once; the scan finds nothing more', async () => {
    const registry = await start();
    const account = await longAtRisk();
    await bench.market.setMark('BTC', '64500');
    expect(await isFlat(account)).to.equal(false);
    await bench.market.setBook('BTC', { bids: [['60000', '10']], asks: [['63900', '10']] });
    await bench.market.setMark('BTC', '63800');
    await until(() => isFlat(account));
    const fills = answerOf(await gateway.send(account, commands.fills, ask));
    const last = fills.kind === 'history' ? fills.rows.at(-1) : undefined;
    expect(last?.row).to.have.nested.property('liquidation.method', 'backstop');
    await scanned(5000);
    expect(await missed(registry)).to.equal(0);
    // 10,000 deposited and 390,006 paid to the market for what the house holds now; the account has nothing left.
    await until(async () => (await house())?.positions[0]?.[1] === SIZE);
    expect(await house()).to.deep.equal({
      cashUsd: '-380006',
      feesUsd: '175.5027',
      lossUsd: '0',
      positions: [['BTC', SIZE]],
    });
  });

  it('an account that waits for a usable book is counted until it is judged', async () => {
    const registry = await start();
    const inDanger = async () => (await registry.getSingleMetric('actor_accounts_in_danger')?.get())?.values[0]?.value;
    const account = await longAtRisk();
    await bench.market.setBook('BTC', { bids: [['63900', '10']], asks: [['63890', '10']] });
    expect(await inDanger()).to.equal(0);
    await bench.market.setMark('BTC', '63800');
    await until(async () => (await inDanger()) === 1);
    expect(await isFlat(account)).to.equal(false);
    await bench.market.setBook('BTC', { bids: [['60000', '10']], asks: [['63890', '10']] });
    await until(async () => (await inDanger()) === 0);
    expect(await isFlat(account)).to.equal(false);
    await bench.market.setMark('BTC', '63800');
    await until(() => isFlat(account));
    expect(await inDanger()).to.equal(0);
  });

  it('the next owner checks everybody against the mark of now', async () => {
    await start();
    const account = await longAtRisk();
    for (const pod of bench.pods) await bench.stopPod(pod);
    await bench.market.setMark('BTC', '63800');
    const registry = await start();
    await until(() => isFlat(account));
    expect(await missed(registry)).to.equal(0);
  });

  it('with the first way broken the scan finds the account with the same result, and counts it', async () => {
    const registry = await start({ wakePrices: () => [] });
    const account = await longAtRisk();
    await bench.market.setMark('BTC', '63800');
    await scanned(10_000);
    await until(() => isFlat(account));
    expect(await missed(registry)).to.equal(1);
    await scanned(15_000);
    expect(await missed(registry)).to.equal(1);
  });

  it('two job processes and a late repetition make one scan', async () => {
    await Promise.all([scan(20_000), scan(20_000)]);
    await scan(15_000);
    expect(await bench.redis.xlen('{s00}:cmd:_shard')).to.equal(1);
  });
});
