import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shardOf.ts';
import { shardTag } from '../../src/shared/redis/keys.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const ORDER = orderAction(BTC.asset, { px: '65100', sz: '0.01', tif: 'Ioc' });
/** The default. */
const SHARDS = 16;

describe('a master of a Redis Cluster dies in the middle of trading', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let stack: Stack;

  before(async () => {
    cluster = await startRedisCluster({ hasReplicas: true });
    stack = await startStack({
      ...{ apis: 2, pods: 2, redisThrough: () => Promise.resolve(cluster.url) },
      // Shorter than the time after which a replica takes over.
      env: { LEASE_TTL_MS: '900' },
    });
    await setBooks(stack.market);
  });

  after(async () => {
    await stack.stop();
    await cluster.stop();
  });

  it('its replica takes over: all accounts trade on, and each order was filled once', async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
    const trades = accounts.map((account) => new Trade(stack, account));
    const running = trades.map((trade) => trade.run());
    await allTradeOn(trades);
    const [{ address }] = accounts as [TestAccount];
    await cluster.killMaster(await cluster.ownerOf(shardTag(shardOf(address, SHARDS))));
    await allTradeOn(trades);
    for (const trade of trades) trade.end();
    await Promise.all(running);
    for (const trade of trades) await trade.check();
  });
});

async function allTradeOn(trades: readonly Trade[]): Promise<void> {
  const before = trades.map(({ filled }) => filled);
  await until(() => trades.every(({ filled }, i) => filled > (before[i] ?? 0) + 3));
}

/** One account's orders, one after another: each is sent until it is known what became of it. */
class Trade {
  filled = 0;
  readonly #stack: Stack;
  readonly #account: TestAccount;
  #isEnded = false;

  constructor(stack: Stack, account: TestAccount) {
    this.#stack = stack;
    this.#account = account;
  }

  end(): void {
    this.#isEnded = true;
  }

  async run(): Promise<void> {
    while (!this.#isEnded) {
      const { body } = await this.#stack.act(this.#account.apiKey, ORDER);
      expect(body.response?.data.statuses[0].filled?.totalSz).to.equal('0.01');
      this.filled += 1;
    }
  }

  /** The master takes with it what its replica had not got: at most that is missing, and it is missing everywhere. */
  async check(): Promise<void> {
    const { apiKey } = this.#account;
    const fills = await this.#stack.ask(apiKey, { type: 'userFills' });
    const orders = new Set(fills.map(({ oid }: { oid: number }) => oid));
    expect(orders.size).to.be.at.most(this.filled);
    const { assetPositions } = await this.#stack.ask(apiKey, { type: 'clearinghouseState' });
    expect(Number(assetPositions[0].position.szi)).to.be.closeTo(0.01 * orders.size, 1e-9);
  }
}
