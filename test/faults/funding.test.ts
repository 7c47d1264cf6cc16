import { expect } from 'chai';
import { submitShardCommand } from '../../src/jobs/shardMailbox.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import { SHARD_MAILBOX, shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, ETH, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Of one shard: several slices of a settlement. */
const ACCOUNTS = 130;
const SETTLEMENTS = 2;
/** 0.001 BTC at this oracle price and rate, each hour. */
const ORACLE = '60000';
const RATE = '0.0001';
const PAID = '-0.006';
/** 0.01 ETH, whose rate comes behind BTC's. */
const ETH_ORACLE = '2000';
const ETH_PAID = '-0.002';

describe('kill -9 of the actors while funding is settled', function () {
  this.timeout(600_000);
  let stack: Stack;
  const accounts: TestAccount[] = [];
  /** The first hour that the positions pay. */
  let firstMs = 0;

  before(async () => {
    stack = await startStack({ env: { SHARDS: '1', LEASE_TTL_MS: '1000', HISTORY_DELAY_MS: '300', JOURNAL_LAG_MS: '2000' } });
    await setBooks(stack.market);
    for (let i = 0; i < ACCOUNTS; i++) {
      const account = await stack.register();
      const orders = [
        orderAction(BTC.asset, { px: '70000', sz: '0.001', tif: 'Ioc' }),
        orderAction(ETH.asset, { px: '2200', sz: '0.01', tif: 'Ioc' }),
      ];
      for (const order of orders) {
        const { body } = await stack.act(account.apiKey, order);
        expect(body.response.data.statuses[0]).to.have.property('filled');
      }
      accounts.push(account);
    }
    firstMs = hourOf(Date.now()) + HOUR_MS;
  });
  after(() => stack.stop());

  const commit = async (): Promise<number> => Number(await stack.redis.hget(shardKeys.head(0), 'n'));
  const isConsumed = async (): Promise<boolean> => (await stack.redis.exists(shardKeys.commands(0, SHARD_MAILBOX))) === 0;

  it('edge 76: every account pays every hour once, wherever the settlement and its repetition were cut off', async () => {
    for (let i = 0; i < SETTLEMENTS; i++) {
      const hourMs = firstMs + i * HOUR_MS;
      const btc = { [BTC.coin]: [RATE, ORACLE] as const };
      for (const [repeated, coins] of [btc, { ...btc, [ETH.coin]: [RATE, ETH_ORACLE] as const }].entries()) {
        const before = await commit();
        const command = { type: 'settleFunding', throughMs: hourMs, hours: [{ hourMs, coins }] } as const;
        const periodMs = hourMs + repeated;
        expect(
          await submitShardCommand(stack.redis, { shard: 0, job: 'funding', periodMs, command, format: NEWEST_FORMAT }),
        ).to.equal('queued');
        while ((await commit()) === before) await new Promise((resolve) => setImmediate(resolve));
        await stack.kill('actors-0');
        await stack.restart('actors-0');
      }
    }
    await until(isConsumed);
    const endTime = firstMs + SETTLEMENTS * HOUR_MS;
    const wanted = Array.from({ length: SETTLEMENTS }, (_, i) => [
      [BTC.coin, firstMs + i * HOUR_MS, PAID],
      [ETH.coin, firstMs + i * HOUR_MS, ETH_PAID],
    ]).flat();
    for (const { apiKey, address } of accounts) {
      const paid = await stack.ask(apiKey, { type: 'userFunding', user: address, startTime: 0, endTime });
      const rows = paid.map(({ time, delta }: { time: number; delta: { coin: string; usdc: string } }) => [
        delta.coin,
        time,
        delta.usdc,
      ]);
      expect(rows).to.deep.equal(wanted);
      const state = await stack.ask(apiKey, { type: 'clearinghouseState', user: address });
      const sums = state.assetPositions.map(
        ({ position }: { position: { cumFunding: { allTime: string } } }) => position.cumFunding.allTime,
      );
      expect(sums).to.deep.equal(['0.012', '0.004']);
    }
  });
});
