import { expect } from 'chai';
import { emptyAccount } from '../../src/actors/core/account/account.ts';
import { type AccountEntry, readEntries } from '../../src/actors/core/messages/entry.ts';
import { parsePodStatus, rankPods, type ShardLoadRecord } from '../../src/actors/core/messages/podStatus.ts';
import { Heartbeat } from '../../src/actors/engine/ownership/heartbeat.ts';
import type { Actors } from '../../src/actors/role.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { applyEntry, tradingRules } from '../../src/features/rules.ts';
import { runCommand } from '../../src/operators/commands.ts';
import { createBilling } from '../../src/shared/billing/billing.ts';
import { raiseRedisPins, restorePins } from '../../src/shared/deployment/shardPinsRecord.ts';
import { readPins, type ShardPins, shardOf, writePins } from '../../src/shared/domain/shards.ts';
import { RequestError } from '../../src/shared/errors.ts';
import { podKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { newestFormats } from '../support/formats.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const redisMs = ([seconds, micros]: readonly (string | number)[]): number => Number(seconds) * 1000 + Number(micros) / 1000;
const ask = { requestId: 'r' };
const ACCOUNTS = 12;

/** Sends orders on all accounts without pause until it is stopped, and counts acknowledged orders. */
class Load {
  readonly filled = new Map<string, number>();
  readonly failures: string[] = [];
  #isStopping = false;
  readonly #done: Promise<unknown>;

  constructor(gateway: CommandGateway, accounts: readonly string[]) {
    this.#done = Promise.all(accounts.map((account) => this.#run(gateway, account)));
  }

  get total(): number {
    return [...this.filled.values()].reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  async #run(gateway: CommandGateway, account: string): Promise<void> {
    for (let i = 0; !this.#isStopping; i++) {
      const side = i % 2 === 0 ? 'buy' : 'sell';
      try {
        const outcome = await gateway.send(
          account,
          commands.place({ side, limitPrice: side === 'buy' ? '65100' : '64900' }),
          ask,
        );
        if (outcome.type === 'orders' && outcome.orders[0]?.type === 'filled') {
          this.filled.set(account, (this.filled.get(account) ?? 0) + 1);
        } else this.failures.push(JSON.stringify(outcome));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        this.failures.push(error.code);
      }
    }
  }
}

describe('ownership: one writer for each shard, whatever happens to it', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  const proxies: TcpProxy[] = [];
  const accounts = Array.from({ length: ACCOUNTS }, (_, n) => accountName(n + 1));

  beforeEach(async () => {
    bench = await ActorBench.start({ SHARDS: '4' });
    gateway = await bench.startGateway();
  });
  afterEach(async () => {
    await bench.stop();
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  const openAll = async (): Promise<void> => {
    await Promise.all(accounts.map((account) => gateway.send(account, commands.open, ask)));
  };
  const proxied = async (): Promise<{ proxy: TcpProxy; url: string }> => {
    const proxy = await TcpProxy.start(bench.redisStore.port);
    proxies.push(proxy);
    return { proxy, url: `redis://127.0.0.1:${proxy.port}` };
  };
  const journal = async (): Promise<{ epochs: number[]; entries: AccountEntry[] }> => {
    const epochs: number[] = [];
    const entries: AccountEntry[] = [];
    for (let shard = 0; shard < bench.config.SHARDS; shard++) {
      for (const [, fields] of await bench.redis.xrange(shardKeys.journal(shard), '-', '+')) {
        const { k, e } = Object.fromEntries(
          Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i], fields[2 * i + 1]]),
        );
        if (shard === 0) epochs.push(Number(k));
        entries.push(...readEntries(e as string));
      }
    }
    return { epochs, entries };
  };
  /** Every acknowledged fill is there once; fills without an acknowledgement are at most as many as unknown outcomes. */
  const expectExactlyOnce = async (load: Load): Promise<void> => {
    const { entries } = await journal();
    const tids = entries.flatMap(({ events }) => events.flatMap((event) => (event.type === 'orderFilled' ? [event.tid] : [])));
    expect(new Set(tids).size).to.equal(tids.length);
    const unknown = load.failures.filter((failure) => failure === 'outcome_unknown').length;
    expect(tids.length).to.be.within(load.total, load.total + unknown);
    for (const account of accounts) {
      const ofAccount = entries.filter(({ accountId }) => accountId === account);
      expect(ofAccount.map(({ seq }) => seq)).to.deep.equal(ofAccount.map((_, i) => i + 1));
      const fills = answerOf(await gateway.send(account, commands.fills, ask));
      const journaled = ofAccount.flatMap(({ events }) => events.filter(({ type }) => type === 'orderFilled')).length;
      expect(fills).to.include({ total: journaled });
    }
  };

  it('a pod that joins gets its share, one that leaves gives it back, and no command fails', async () => {
    const first = await bench.startOnlyPod();
    await openAll();
    const load = new Load(gateway, accounts);
    const others = [await bench.startPod(), await bench.startPod()];
    const podIds = [first, ...others].map(({ podId }) => podId);
    const hasShare = (pod: Actors): boolean => {
      const loaded = new Set(pod.status().flatMap((one) => (one.loaded ? [one.shard] : [])));
      return [0, 1, 2, 3].every((shard) => loaded.has(shard) === (rankPods(shard, podIds)[0] === pod.podId));
    };
    await until(() => [first, ...others].every(hasShare));
    await bench.stopPod(first);
    await until(() => others.reduce((sum, pod) => sum + pod.status().filter(({ loaded }) => loaded).length, 0) === 4);
    const before = load.total;
    await until(() => load.total > before + 50);
    await load.stop();
    expect(load.failures).to.deep.equal([]);
    await expectExactlyOnce(load);
  });

  it('a pod that joins is ready when it has its share, all of it recovered', async () => {
    const isReady = async (pod: Actors): Promise<boolean> => (await pod.whyNotReady()).length === 0;
    const first = await bench.startOnlyPod();
    await until(() => isReady(first));
    const second = await bench.startPod();
    expect(await second.whyNotReady()).to.have.length(1);
    await until(() => isReady(second));
    const recovered = second.status().flatMap(({ shard, recovered }) => (recovered ? [shard] : []));
    const share = [0, 1, 2, 3].filter((shard) => rankPods(shard, [first.podId, second.podId])[0] === second.podId);
    expect(recovered).to.include.members(share);
  });

  it('a pod is new to the others from its first word on, and after a silence', async () => {
    const heartbeat = new Heartbeat({ redis: bench.redis, podId: 'a.1', ttlMs: 600 });
    const report = { leaving: false, shards: [], history: { lagMs: 0, mongoDown: false }, formats: { reads: 1, writes: 1 } };
    const said = async () => parsePodStatus('a.1', (await bench.redis.hget(podKeys.pods, 'a.1')) ?? '');
    const { nowMs } = await heartbeat.speak(report);
    expect(await said()).to.include({ atMs: nowMs, sinceMs: nowMs });
    const second = await heartbeat.speak(report);
    expect(await said()).to.include({ atMs: second.nowMs, sinceMs: nowMs });
    await until(async () => redisMs(await bench.redis.time()) > second.nowMs + 600);
    const third = await heartbeat.speak(report);
    expect(await said()).to.include({ atMs: third.nowMs, sinceMs: third.nowMs });
    expect(third.pods[0]).to.include({ sinceMs: third.nowMs });
  });

  it('an operator moves a shard: its pod hands it over under load, keeps to that, and gets it back, and no command fails', async () => {
    const [a, b] = [await bench.startPod({ nodeId: 'a' }), await bench.startPod({ nodeId: 'b' })];
    const owns = (pod: Actors, shard: number): boolean => pod.status().some((one) => one.shard === shard && one.loaded);
    const ofHash = (shard: number): Actors => (rankPods(shard, [a.podId, b.podId])[0] === a.podId ? a : b);
    const isByHash = (): boolean => [0, 1, 2, 3].every((shard) => owns(ofHash(shard), shard));
    await until(isByHash);
    await openAll();
    const load = new Load(gateway, accounts);
    const billing = createBilling({
      ...{ config: bench.config, log: bench.log, now: Date.now, redis: bench.redis, mongo: bench.mongo },
      formats: newestFormats,
    });
    const admin = (...words: string[]) => runCommand(words, { billing, redis: bench.redis, mongo: bench.mongo });
    const other = ofHash(1) === a ? b : a;
    const name = other === a ? 'a' : 'b';
    expect((await admin('shards', 'move', '1', name)).data).to.deep.equal({ shard: 1, moved_to: name, is_there: true });
    await until(() => owns(other, 1) && [0, 2, 3].every((shard) => owns(ofHash(shard), shard)));
    const before = load.total;
    await until(() => load.total > before + 50);

    // Redis loses the record and gets it back from the pods; a Redis that has nothing gets it from MongoDB.
    await bench.redis.del(podKeys.pins);
    await until(async () => (await bench.redis.exists(podKeys.pins)) === 1);
    expect(owns(other, 1)).to.equal(true);
    await bench.redis.del(podKeys.pins);
    await restorePins(bench);
    expect(readPins((await bench.redis.get(podKeys.pins)) ?? '')?.pins[0]).to.include({ shard: 1, node: name });

    await admin('shards', 'move', '1', '--back');
    await until(isByHash);
    await load.stop();
    expect(load.failures).to.deep.equal([]);
    await expectExactlyOnce(load);
  });

  it('a shard of a pod that ends goes by the ranking, and to the pod’s next life', async () => {
    const [a, b] = [await bench.startPod({ nodeId: 'a' }), await bench.startPod({ nodeId: 'b' })];
    const owns = (pod: Actors): boolean => pod.status().some((one) => one.shard === 2 && one.loaded);
    await raiseRedisPins(bench.redis, { version: 1, number: 1, pins: [{ shard: 2, node: 'a', atMs: 0 }] });
    await until(() => owns(a));
    await bench.stopPod(a);
    await until(() => owns(b));
    const next = await bench.startPod({ nodeId: 'a' });
    await until(() => owns(next) && !owns(b));
  });

  it('what somebody has typed in place of the record stops no pod, and goes when the next move comes', async () => {
    const typed = '9 {"version":1,"number":9,"pins":"a"}';
    await bench.redis.set(podKeys.pins, typed);
    const a = await bench.startPod({ nodeId: 'a' });
    await until(() => a.status().filter(({ loaded }) => loaded).length === bench.config.SHARDS);
    // A pod that has heard of the move, and a pod that begins after it: each has the shards that the hash gives it, which may be
    // none.
    const b = await bench.startPod({ nodeId: 'b' });
    const owns = (pod: Actors, shard: number): boolean => pod.status().some((one) => one.shard === shard && one.loaded);
    const all = Array.from({ length: bench.config.SHARDS }, (_, shard) => ({
      shard,
      isOfA: rankPods(shard, [a.podId, b.podId])[0] === a.podId,
    }));
    await until(() => all.every(({ shard, isOfA }) => owns(isOfA ? a : b, shard)));
    expect(await bench.redis.get(podKeys.pins)).to.equal(typed);
    // The record turns the ranking round: a pod has read it once it has the shards of the other.
    const record: ShardPins = {
      version: 1,
      number: 1,
      pins: all.map(({ shard, isOfA }) => ({ shard, node: isOfA ? 'b' : 'a', atMs: 0 })),
    };
    await raiseRedisPins(bench.redis, record);
    await until(() => all.every(({ shard, isOfA }) => owns(isOfA ? b : a, shard)));
    await bench.redis.set(podKeys.pins, typed);
    await until(async () => (await bench.redis.get(podKeys.pins)) === writePins(record));
  });

  it('an owner says what its shards cost its thread, and whose that is', async () => {
    const pod = await bench.startOnlyPod();
    await openAll();
    const load = new Load(gateway, accounts.slice(0, 1));
    const shard = shardOf(accounts[0] ?? '', bench.config.SHARDS);
    await until(async () => {
      const record = JSON.parse((await bench.redis.get(shardKeys.load(shard))) ?? '{}') as Partial<ShardLoadRecord>;
      return (record.commands ?? 0) > 0 && record.top?.[0]?.account === accounts[0];
    });
    await load.stop();
    const record = JSON.parse((await bench.redis.get(shardKeys.load(shard))) ?? '{}') as ShardLoadRecord;
    expect(record.busy).to.be.within(record.top[0]?.busy ?? 1, 1);
    expect(record.token).to.equal(await bench.redis.get(shardKeys.lease(shard)));
    expect(record.token).to.include(pod.podId);
    expect(await bench.redis.ttl(shardKeys.load(shard))).to.be.within(1, 40);
  });

  it('a state has the same name at the next owner, and where its journal is replayed', async () => {
    const first = await bench.startOnlyPod({ nodeId: 'first' });
    const [account = ''] = accounts;
    await gateway.send(account, commands.open, ask);
    for (const side of ['buy', 'sell', 'buy'] as const) {
      await gateway.send(account, commands.place({ side, limitPrice: side === 'buy' ? '65100' : '64900' }), ask);
    }
    const named = async () => {
      const command = { type: 'query', query: { kind: 'summary' }, stateHash: true } as const;
      const { seq, stateHash } = (await gateway.send(account, command, ask)) as { seq: number; stateHash?: string };
      return { seq, stateHash };
    };
    const told = await named();
    const entries = (await journal()).entries.filter(({ accountId }) => accountId === account);
    expect(told).to.deep.equal({ seq: 4, stateHash: stateHashOf(entries.reduce(applyEntry, emptyAccount(account))) });
    await bench.stopPod(first);
    await bench.startOnlyPod({ nodeId: 'second' });
    expect(await named()).to.deep.equal(told);
  });

  it('a pod that stalls longer than its lease writes nothing when it wakes up', async () => {
    const { proxy, url } = await proxied();
    const sleeper = await bench.startOnlyPod({ url });
    await openAll();
    const load = new Load(gateway, accounts);
    await until(() => load.total > 50);
    proxy.stall();
    const heir = await bench.startPod();
    await until(() => bench.hasAllShards(heir));
    const before = load.total;
    await until(() => load.total > before + 50);
    proxy.resume();
    await until(() => sleeper.status().length === 0);
    await load.stop();
    await expectExactlyOnce(load);
    const { epochs } = await journal();
    expect(epochs).to.deep.equal([...epochs].sort((a, b) => a - b));
  });

  it('a pod in a black hole believes in no shard when its leases have ended, and goes on when it is out of it', async () => {
    const { proxy, url } = await proxied();
    const pod = await bench.startOnlyPod({ url });
    await openAll();
    proxy.blackHole();
    await until(async () => {
      const leases = await bench.redis.mget([0, 1, 2, 3].map((shard) => shardKeys.lease(shard)));
      const believed = pod.status().filter(({ recovered }) => recovered);
      expect(believed.filter(({ shard }) => leases[shard] === null)).to.deep.equal([]);
      return leases.every((lease) => lease === null);
    });
    // A command that comes meanwhile stays in its mailbox and is answered afterwards.
    const outcome = gateway.send(accounts[0] as string, commands.place(), ask);
    proxy.mend();
    expect(await outcome).to.have.nested.property('orders[0].type', 'filled');
    await until(() => pod.status().length === 4 && pod.status().every(({ recovered }) => recovered));
  });

  it('cut connections, of the pod or the gateway, neither lose nor double an order', async () => {
    const podWay = await proxied();
    const gatewayWay = await proxied();
    await bench.startOnlyPod({ url: podWay.url });
    const shaky = await bench.startGateway({ url: gatewayWay.url });
    await openAll();
    const load = new Load(shaky, accounts);
    for (let i = 0; i < 8; i++) {
      const before = load.total;
      await until(() => load.total > before + 20);
      (i % 2 === 0 ? podWay : gatewayWay).proxy.cut();
    }
    const before = load.total;
    await until(() => load.total > before + 20);
    await load.stop();
    await expectExactlyOnce(load);
  });

  it('commands that wait when a pod dies are answered by the next one', async () => {
    const { proxy, url } = await proxied();
    await bench.startOnlyPod({ url });
    await openAll();
    await proxy.close();
    const waiting = accounts.map((account) => gateway.send(account, commands.place(), ask));
    await bench.startPod();
    for (const outcome of await Promise.all(waiting)) expect(outcome).to.have.nested.property('orders[0].type', 'filled');
  });

  it('a command that two owners have died with is parked by the third', async () => {
    const account = accountName(1);
    const deadly = { type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: 13 } as const;
    let deaths = 0;
    const startVictim = async (): Promise<Actors> => {
      const { proxy, url } = await proxied();
      let isDead = false;
      return bench.startPod({
        url,
        rules: {
          decide: (state, command, context) => {
            if (command.type === 'updateLeverage' && !isDead) {
              isDead = true;
              deaths += 1;
              void proxy.close();
            }
            return tradingRules.decide(state, command, context);
          },
        },
      });
    };
    const first = await startVictim();
    await until(() => bench.hasAllShards(first));
    await gateway.send(account, commands.open, ask);
    const outcome = gateway.send(account, deadly, ask).then(
      () => 'done',
      (error: RequestError) => error.code,
    );
    // One after the other: a pod that starts before its forerunner is dead might get the shard.
    await until(() => deaths === 1);
    await startVictim();
    await until(() => deaths === 2);
    await bench.startPod();
    expect(await outcome).to.equal('internal_error');
    await gateway.send(account, commands.place(), ask);
  });

  it('owners that die while they load accounts are counted against no command', async () => {
    const account = accountName(1);
    const first = await proxied();
    const pod = await bench.startPod({ url: first.url });
    await until(() => bench.hasAllShards(pod));
    await gateway.send(account, commands.open, ask);
    await first.proxy.close();
    const outcome = gateway.send(account, commands.place(), ask);
    let deaths = 0;
    const dieWhileLoading = async (): Promise<void> => {
      const { proxy, url } = await proxied();
      let isDead = false;
      await bench.startPod({
        url,
        rules: {
          nextDueMs: (state) => {
            if (state.id === account && !isDead) {
              isDead = true;
              deaths += 1;
              void proxy.close();
            }
            return tradingRules.nextDueMs(state);
          },
        },
      });
    };
    for (let i = 1; i <= 4; i++) {
      await dieWhileLoading();
      await until(() => deaths === i);
    }
    await bench.startPod();
    expect(await outcome).to.have.nested.property('orders[0].type', 'filled');
  });
});
