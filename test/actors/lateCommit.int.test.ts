import { expect } from 'chai';
import type { ViewSource } from '../../src/actors/core/messages/accountFigures.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import type { RequestError } from '../../src/shared/errors.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { TcpProxy } from '../support/tcpProxy.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };

describe('a commit that reaches Redis after the deadline of a command in it', function () {
  this.timeout(600_000);
  let bench: ActorBench;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1' });
  });
  after(() => bench.stop());

  const give = async (gateway: CommandGateway, account: string): Promise<ViewSource | undefined> => {
    const answer = answerOf(await gateway.send(account, { type: 'query', query: { kind: 'accountView' } }, ask));
    return answer.kind === 'accountView' ? answer.view : undefined;
  };

  it('expires the command, which does nothing, and not the ownership; other commands go on, also while MongoDB is away', async () => {
    let behindMs = 0;
    // The owner before it died at work. A command that was at the head then may have killed it; a later command has not.
    await bench.redis.hset(shardKeys.head(0), { epoch: 1, work: 1, clean: 0 });
    const toMongo = await TcpProxy.start(bench.mongoStore.port);
    const mongo = connectMongo({ url: `mongodb://127.0.0.1:${toMongo.port}`, database: 'test', timeoutMs: 300 });
    const pod = await bench.startOnlyPod({ realNow: () => Date.now() - behindMs, mongo });
    const gateway = await bench.startGateway();
    const [late, other] = [accountName(1), accountName(2)] as const;
    for (const account of [late, other]) await gateway.send(account, commands.open, ask);
    await until(async () => (await bench.redis.hmget(shardKeys.kept(0), late, other)).every((kept) => kept !== null));
    toMongo.refuse();
    const before = await give(gateway, late);
    await give(gateway, other);
    expect(await bench.redis.hexists(shardKeys.versions(0), other)).to.equal(1);
    const lease = await bench.redis.get(shardKeys.lease(0));
    // The pod is far behind Redis, and the command's deadline is over: only Redis can tell.
    behindMs = 60_000;
    const slow = await bench.startGateway({ config: { COMMAND_DEADLINE_MS: -4000 } });
    const told = slow.send(late, commands.place(), ask).then(
      () => 'done',
      (error: RequestError) => error.code,
    );
    await Promise.all(Array.from({ length: 3 }, () => gateway.send(other, commands.place(), ask)));
    await told;
    expect(await bench.redis.get(shardKeys.lease(0)), 'the same lease').to.equal(lease);
    expect(pod.status().map(({ recovered }) => recovered)).to.deep.equal([true]);
    expect(await bench.redis.hgetall(shardKeys.poisonCommands(0)), 'no owner has died').to.deep.equal({});
    const { _owner: owner, ...versions } = await bench.redis.hgetall(shardKeys.versions(0));
    expect(versions, 'no view of before holds').to.deep.equal({});
    // The commit that came too late may have been in Redis before, and be lost: its numbers come again, with other states.
    const after = await give(gateway, late);
    expect(after?.state).to.deep.equal(before?.state);
    expect(after?.token, 'the same number under another name').to.equal(owner).and.not.to.equal(before?.token);
    expect(owner).to.match(new RegExp(`^${lease}:`));
    expect(answerOf(await gateway.send(late, commands.fills, ask))).to.include({ total: 0 });
    expect(answerOf(await gateway.send(other, commands.fills, ask))).to.include({ total: 3 });
    await bench.stopPod(pod);
    await mongo.close();
    await toMongo.close();
  });
});
