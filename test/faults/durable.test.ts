import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { shardOf } from '../../src/shared/domain/shardOf.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC } from '../support/faults/coins.ts';
import { FaultStack, SHARDS } from '../support/faults/faultStack.ts';
import { type Mark, markedCloid } from '../support/faults/markedOrder.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { orderAction } from '../support/orderWire.ts';
import type { Answer, TestAccount } from '../support/stack.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ACTORS = fileURLToPath(new URL('../support/faults/throwingActors.ts', import.meta.url));
/** How often the way to Redis breaks in one scenario. */
const CUTS = 8;

describe('a Redis that writes before it answers, behind a proxy, and rules that fail', function () {
  this.timeout(600_000);
  let faults: FaultStack;
  let proxy: TcpProxy;

  before(async () => {
    faults = await FaultStack.start({
      durability: 'always',
      mongoInMemory: true,
      entries: { actors: ['--import', 'tsx', ACTORS] },
      redisThrough: async (url) => {
        proxy = await TcpProxy.start(Number(new URL(url).port));
        return `redis://127.0.0.1:${proxy.port}`;
      },
    });
  });
  after(async () => {
    await faults.stop();
    await proxy.close();
  });

  scenario('appendfsync always and a kill: nothing is lost', async (seed) => {
    const load = await faults.load(seed);
    await faults.stack.redisStore.kill();
    await faults.stack.restartRedis();
    await load.verdict();
  });

  scenario('connections that break and answers that are lost: what is sent again is not done again', async (seed) => {
    const random = new Random(seed);
    const load = await faults.load(seed);
    for (let i = 0; i < CUTS; i++) {
      const many = random.whole(1, 3);
      if (random.chance(0.4)) {
        proxy.loseAnswers();
        const atMs = Date.now();
        await until(() => Date.now() > atMs + random.whole(1, 60));
      }
      proxy.cut();
      await load.progress(many);
    }
    await load.verdict();
  });

  const place = (account: TestAccount, mark?: Mark): Promise<Answer> => {
    const order = { px: '66000', sz: '0.001', tif: 'Ioc' } as const;
    const { asset } = BTC;
    return faults.stack.exchange(
      account.apiKey,
      orderAction(asset, mark === undefined ? order : { ...order, cloid: markedCloid(mark) }),
    );
  };
  const expectFilled = async (account: TestAccount): Promise<void> => {
    expect((await place(account)).body).to.have.nested.property('response.data.statuses[0].filled');
  };

  scenario('a rule that throws: its command is parked, its account and its shard live', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const account = await stack.register();
    await expectFilled(account);
    const answer = await place(account, 'decideThrows');
    expect(answer.status).to.equal(500);
    expect(answer.body).to.include({ code: 'internal_error' });
    expect(JSON.stringify(answer.body)).not.to.include('the rule fails');
    await expectFilled(account);
    const dead = await stack.redis.xrange(shardKeys.dead(shardOf(account.address, SHARDS)), '-', '+');
    const letters = dead.filter(([, fields]) => fields.includes(account.address));
    expect(letters).to.have.length(1);
    expect(letters[0]?.[1]).to.include('Error: the rule fails');
    const fills = await stack.info(account.apiKey, { type: 'userFills', user: account.address });
    expect(fills.body).to.have.length(2);
    await load.verdict();
    expect(load.troubles()).to.deep.equal({});
  });

  scenario('a fold that throws: its account is halted, also by the next owner, and no other', async (seed) => {
    const { stack } = faults;
    const load = await faults.load(seed);
    const account = await stack.register();
    await expectFilled(account);
    const halted = { status: 503, code: 'account_quarantined' };
    const toHalt = async (mark?: Mark) => {
      const { status, body } = await place(account, mark);
      return { status, code: body.code };
    };
    expect(await toHalt('foldThrows')).to.deep.equal(halted);
    expect(await toHalt()).to.deep.equal(halted);
    await load.progress(5);
    expect(load.troubles()).to.deep.equal({});
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    await load.verdict();
    expect(await toHalt()).to.deep.equal(halted);
  });
});
