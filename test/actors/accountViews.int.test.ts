// A view of an account holds under the owner that gave it away and no other, also where Redis has forgotten its last moments and
// the numbers of before come again.
import { statSync } from 'node:fs';
import { expect } from 'chai';
import { readSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import type { ViewSource } from '../../src/actors/core/messages/accountFigures.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { VersionReader } from '../../src/api/accounts/views/versionReader.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { cutTo, incrementOf } from '../support/faults/appendOnlyFile.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

interface Given extends ViewSource {
  readonly seq: number;
}

describe('views of accounts, owners and losses', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let proxy: TcpProxy;
  let reader: VersionReader;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '60000' });
    gateway = await bench.startGateway();
    reader = new VersionReader(bench.redis, bench.config);
    await startPod();
  });
  after(async () => {
    await bench.stop();
    await proxy.close();
  });

  async function startPod(): Promise<void> {
    proxy = await TcpProxy.start(bench.redisStore.port);
    const pod = await bench.startPod({ url: `redis://127.0.0.1:${proxy.port}` });
    await until(() => bench.hasAllShards(pod));
  }

  const give = async (account: string): Promise<Given> => {
    const outcome = await gateway.send(account, { type: 'query', query: { kind: 'accountView' } }, ask);
    if (outcome.type !== 'answer' || outcome.answer.kind !== 'accountView' || outcome.answer.view === undefined)
      throw new Error(JSON.stringify(outcome));
    return { ...outcome.answer.view, seq: outcome.seq };
  };
  const holds = async (account: string, view: Given): Promise<boolean> => {
    const version = await reader.read(account);
    return typeof version !== 'string' && version.token === view.token && version.seq === view.seq;
  };
  /** A view that holds: its owner may have lost the shard for a moment. */
  const held = async (account: string): Promise<Given> => {
    let view: Given | undefined;
    await until(async () => {
      view = await give(account);
      return holds(account, view);
    });
    return view ?? give(account);
  };
  const versions = (): Promise<Record<string, string>> => bench.redis.hgetall(shardKeys.versions(0));
  const owner = async (): Promise<string> => (await bench.redis.get(shardKeys.lease(0))) ?? '';

  it('a new owner begins without versions, and gives accounts away itself', async () => {
    const account = accountName(1);
    await gateway.send(account, commands.open, ask);
    const before = await held(account);
    // Its connection is gone from one moment to the next, as after kill -9.
    await proxy.close();
    await until(async () => (await owner()) === '');
    expect(await holds(account, before), 'without an owner').to.equal(false);
    await bench.redis.set(shardKeys.lease(0), '9:older:1');
    expect(await versions(), 'an owner that knows of no versions').to.include({ _owner: before.token });
    expect(await holds(account, before), 'with such an owner').to.equal(false);
    await bench.redis.del(shardKeys.lease(0));
    await startPod();
    expect(await holds(account, before), 'with a new owner').to.equal(false);
    expect(Object.keys(await versions())).to.deep.equal(['_owner']);
    const after = await held(account);
    expect(after).to.include({ seq: before.seq }).and.not.to.include({ token: before.token });
    expect(after.state).to.deep.equal(before.state);
    expect(await versions()).to.include({ _owner: after.token });
  });

  it('a state that Redis has forgotten is of no version, also when its number comes again with another', async () => {
    const account = accountName(2);
    await gateway.send(account, commands.open, ask);
    const kept = await give(account);
    // Redis keeps what it has acknowledged in memory for up to two seconds, while the disk is busy.
    await until(async () => (await bench.redis.info('persistence')).includes('aof_buffer_length:0\r'));
    const file = incrementOf(bench.redisStore.dir);
    const { size } = statSync(file);
    await gateway.send(account, commands.rest('50000'), ask);
    const lost = await held(account);
    expect(lost.seq).to.equal(kept.seq + 1);
    expect(await holds(account, kept)).to.equal(false);

    await bench.redisStore.kill();
    cutTo(file, size);
    await bench.restartRedis();
    let wasTrue = false;
    await until(async () => {
      wasTrue ||= await holds(account, lost);
      return (await versions())['_owner'] !== lost.token;
    });
    expect(wasTrue, 'the forgotten state was true').to.equal(false);
    expect(Object.keys(await versions())).to.deep.equal(['_owner']);

    const now = await give(account);
    expect(now.state).to.deep.equal(kept.state);
    await gateway.send(account, commands.rest('51000'), ask);
    const again = await held(account);
    expect(again.seq).to.equal(lost.seq);
    expect(hashOf(again)).not.to.equal(hashOf(lost));
    for (const view of [kept, lost, now]) expect(await holds(account, view)).to.equal(false);
  });
});

const hashOf = ({ state }: Given): string => stateHashOf(readSnapshot(state));
