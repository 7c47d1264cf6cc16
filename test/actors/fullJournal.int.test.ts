// The effects of a journal that cannot be stored: on the account that fills it, on its shard, and on a full Redis.
import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const SHARD = 0;
const BATCH = 200;

type PlaceOrders = Extract<AccountCommand, { type: 'placeOrders' }>;

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof RequestError) return error.code;
    throw error;
  }
};
const [one] = (commands.place({ limitPrice: '66000', type: { kind: 'limit', timeInForce: 'alo' } }) as PlaceOrders).orders;
/** Orders that may not take what they would: rejections alone. */
const batch: AccountCommand = { type: 'placeOrders', grouping: 'na', orders: Array(BATCH).fill(one) };

describe('the journal in bytes', function () {
  this.timeout(600_000);
  let bench: ActorBench;

  afterEach(() => bench.stop());

  const fill = async (gateway: CommandGateway, account: string): Promise<string> => {
    for (let sent = 0; sent < 2000; sent++) {
      const code = await codeOf(gateway.send(account, batch, ask));
      if (code !== 'done') return code;
    }
    return 'never';
  };

  it('an account that fills its part is refused alone; it can cancel and reduce, and goes on when MongoDB has it', async () => {
    bench = await ActorBench.start({
      ...{ SHARDS: '1', HISTORY_DELAY_MS: '5000', JOURNAL_LAG_MS: '1000' },
      JOURNAL_ACCOUNT_MAX_BYTES: '100000',
    });
    const registry = new Registry();
    await bench.startOnlyPod({ registry });
    const gateway = await bench.startGateway();
    const [loud, quiet] = [accountName(1), accountName(2)];
    for (const account of [loud, quiet]) await gateway.send(account, commands.open, ask);
    await gateway.send(loud, commands.place(), ask);
    expect(await fill(gateway, loud)).to.equal('account_journal_full');
    expect(await codeOf(gateway.send(quiet, commands.place(), ask))).to.equal('done');
    expect(await codeOf(gateway.send(loud, commands.state, ask)), 'it may ask').to.equal('done');
    const reduce = commands.place({ side: 'sell', limitPrice: '64900', reduceOnly: true });
    expect(await gateway.send(loud, reduce, ask)).to.have.nested.property('orders[0].type', 'filled');
    expect(await registry.getSingleMetricAsString('actor_journal_full_total')).to.match(/bound="account"\} [1-9]/);
    expect(await registry.getSingleMetricAsString('actor_journal_bytes')).to.match(/ [1-9]\d{4,}$/m);
    await until(async () => (await codeOf(gateway.send(loud, commands.place(), ask))) === 'done');
  });

  it('a shard whose journal is full refuses all its accounts, also under its next owner', async () => {
    bench = await ActorBench.start({
      ...{ SHARDS: '1', HISTORY_DELAY_MS: '600000' },
      ...{ JOURNAL_MAX_BYTES: '1048576', JOURNAL_ACCOUNT_MAX_BYTES: '1048576' },
    });
    const pod = await bench.startOnlyPod();
    const gateway = await bench.startGateway();
    // One fills three quarters, which is its part; of what is left each has a sixteenth, and one more order of an account with nothing is
    // the test.
    const [small = '', ...accounts] = Array.from({ length: 12 }, (_, i) => accountName(i + 1));
    for (const account of [small, ...accounts]) await gateway.send(account, commands.open, ask);
    const codes: string[] = [];
    for (const account of accounts) codes.push(await fill(gateway, account));
    expect(codes[0]).to.equal('account_journal_full');
    expect(codes.at(-1)).to.equal('journal_full');
    expect(await codeOf(gateway.send(small, batch, ask))).to.equal('journal_full');
    await bench.stopPod(pod);
    await bench.startOnlyPod();
    expect(await codeOf(gateway.send(small, commands.place(), ask))).to.equal('journal_full');
    expect(await codeOf(gateway.send(small, commands.state, ask))).to.equal('done');
  });

  it('a full Redis: a pod that starts takes its shards, cuts the journal, and everything goes on by itself', async () => {
    bench = await ActorBench.start({
      ...{ SHARDS: '2', HISTORY_DELAY_MS: '3000', JOURNAL_LAG_MS: '6000' },
    });
    const start = async (): Promise<{ pod: Actors; proxy: TcpProxy }> => {
      const proxy = await TcpProxy.start(bench.redisStore.port);
      return { proxy, pod: await bench.startPod({ url: `redis://127.0.0.1:${proxy.port}` }) };
    };
    const killed = await start();
    await until(() => bench.hasAllShards(killed.pod));
    const gateway = await bench.startGateway();
    const account = accountName(1);
    await gateway.send(account, commands.open, ask);
    let fills = 0;
    // Some megabytes that MongoDB will have, and that the cut of the journal gives back.
    const before = await usedBytes();
    for (let sent = 0; (await usedBytes()) - before < 3_000_000 && sent < 400; sent++) {
      await gateway.send(account, batch, ask);
      fills += await filled(gateway, account);
    }
    const grown = (await usedBytes()) - before;
    expect(grown).to.be.at.least(1_000_000);
    await killed.proxy.close();
    await bench.redis.config('SET', 'maxmemory', String((await usedBytes()) - Math.round(grown / 4)));
    expect(await codeOf(gateway.send(account, commands.place(), ask))).to.equal('store_unavailable');

    // Only an owner cuts a journal: whoever gives memory back has taken the shards of a Redis that was full.
    const { pod } = await start();
    await until(() => bench.hasAllShards(pod));
    await until(async () => {
      try {
        fills += await filled(gateway, account);
        return true;
      } catch (error) {
        expect(error).to.include({ status: 503, code: 'store_unavailable' });
        return false;
      }
    });
    expect(answerOf(await gateway.send(account, commands.fills, ask))).to.include({ total: fills });
    expect(await bench.redis.exists(shardKeys.lease(SHARD))).to.equal(1);
  });

  /** Fills of one order that were acknowledged. */
  const filled = async (gateway: CommandGateway, account: string): Promise<number> => {
    const outcome = await gateway.send(account, commands.place(), ask);
    return outcome.type === 'orders' && outcome.orders[0]?.type === 'filled' ? 1 : 0;
  };
  const usedBytes = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await bench.redis.info('memory'))?.[1]);
});
