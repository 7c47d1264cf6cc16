import { expect } from 'chai';
import type { CommandGateway } from '../../../../src/api/accounts/gateway/commandGateway.ts';
import type { RequestError } from '../../../../src/shared/errors.ts';
import { shardKeys } from '../../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../../../support/actorBench.ts';
import { TcpProxy } from '../../../support/tcpProxy.ts';
import { until } from '../../../support/until.ts';

/** So long that no command here ends by its deadline. */
const DEADLINE_MS = 600_000;

describe('replies that are published while a node cannot hear them', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let proxy: TcpProxy;
  let gateway: CommandGateway;
  const account = accountName(1);

  before(async () => {
    bench = await ActorBench.start();
    await bench.startOnlyPod();
  });
  beforeEach(async () => {
    proxy = await TcpProxy.start(bench.redisStore.port);
    gateway = await bench.startGateway({
      url: `redis://127.0.0.1:${proxy.port}`,
      config: { COMMAND_DEADLINE_MS: DEADLINE_MS },
    });
    await gateway.send(account, commands.open, { requestId: 'r' });
  });
  afterEach(() => proxy.close());
  after(() => bench.stop());

  const deafen = (): void => {
    expect(proxy.blackHole((greeting) => greeting.includes('replies'))).to.equal(1);
  };
  const fills = async (): Promise<number> => {
    const outcome = await gateway.send(account, commands.fills, { requestId: 'r' });
    return outcome.type === 'answer' && outcome.answer.kind === 'history' ? outcome.answer.total : Number.NaN;
  };

  it('a command that ran is said to be decided at once, not at its deadline, and ran once', async () => {
    const before = await fills();
    deafen();
    const error = await gateway.send(account, commands.place(), { requestId: 'r' }).then(
      () => undefined,
      (reason: RequestError) => reason,
    );
    expect(error).to.include({ status: 504, code: 'outcome_unknown' });
    expect(await fills()).to.equal(before + 1);
  });

  it('under an Idempotency-Key it gets the answer that is remembered, and ran once', async () => {
    const before = await fills();
    deafen();
    const idempotency = { key: 'k', bodyDigest: 'd' };
    const outcome = await gateway.send(account, commands.place(), { requestId: 'r', idempotency });
    expect(outcome).to.have.nested.property('orders[0].type', 'filled');
    expect(await fills()).to.equal(before + 1);
  });

  it('a question is asked again', async () => {
    deafen();
    expect(await gateway.send(account, commands.state, { requestId: 'r' })).to.include({ type: 'answer' });
  });

  it('a command that still waits in its mailbox is waited for', async () => {
    const other = accountName(2);
    await gateway.send(other, commands.open, { requestId: 'r' });
    const [pod] = bench.pods;
    await bench.stopPod(pod as (typeof bench.pods)[number]);
    const subscribers = async () => String(await bench.redis.client('LIST')).split('name=replies').length;
    const before = await subscribers();
    deafen();
    const outcome = gateway.send(other, commands.place(), { requestId: 'r' });
    await until(async () => (await Promise.all([0, 1].map((shard) => bench.redis.scard(shardKeys.pending(shard))))).includes(1));
    // The connection in the black hole stays, as far as Redis knows, beside the connection that replaces it.
    await until(async () => (await subscribers()) > before);
    await bench.startOnlyPod();
    expect(await outcome).to.have.nested.property('orders[0].type', 'filled');
  });
});
