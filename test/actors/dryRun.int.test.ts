import { expect } from 'chai';
import type { AccountGateway } from '../../src/api/accounts/accountGateway.ts';
import type { Call, Services } from '../../src/api/accounts/services.ts';
import { runAction } from '../../src/api/exchange/runAction.ts';
import type { RequestError } from '../../src/shared/errors.ts';
import { ActorBench, accountName, commands } from '../support/actorBench.ts';
import { orderAction } from '../support/orderWire.ts';

const account = accountName(1);
const ask = { requestId: 'r' };

describe('dryRun: at the account’s owner', () => {
  let bench: ActorBench;
  let gateway: AccountGateway;

  before(async () => {
    bench = await ActorBench.start({ SHARDS: '1' });
    gateway = await bench.startNodeGateway();
    await bench.startOnlyPod();
    await gateway.send(account, commands.open, ask);
  });
  after(() => bench.stop());

  const call = { caller: { accountId: account }, requestId: 'r', idempotencyKey: 'once', bodyDigest: 'aa' } as Call;
  const run = (action: object, envelope: object = {}, bodyDigest = 'aa'): Promise<unknown> =>
    runAction({ action, ...envelope }, { ...call, bodyDigest }, { gateway, now: Date.now } as unknown as Services);

  /** Every key with its content, but for beats and times of leases. */
  const stored = async (): Promise<Record<string, unknown>> => {
    const keys = (await bench.redis.keys('*')).filter((key) => /journal|idem|cmd|snap|version|dead|quarantine/.test(key)).sort();
    const contents = await Promise.all(keys.map(async (key) => (await bench.redis.dump(key)) ?? ''));
    return Object.fromEntries(keys.map((key, i) => [key, contents[i]]));
  };

  it('writes nothing: no entry, no id, no Idempotency-Key; the real one under the same key does what was told', async () => {
    const action = orderAction(0, { px: '65100', sz: '0.01', tif: 'Ioc' }, { px: '60000', sz: '0.001' });
    const before = await stored();
    expect(Object.keys(before).join(' ')).to.include('journal');
    const told = (await run(action, { dryRun: true })) as { response: { data: { answer: object; effect: { seq: number } } } };
    for (let n = 0; n < 20; n++) expect(await run(action, { dryRun: true })).to.have.nested.property('response.type', 'dryRun');
    expect(await stored()).to.deep.equal(before);

    const { answer, effect } = told.response.data;
    expect(effect.seq).to.equal(1);
    expect(await run(action, {}, 'bb')).to.deep.equal(answer);
    expect(await run(action, {}, 'bb')).to.deep.equal(answer);
    expect(await stored()).to.not.deep.equal(before);

    // The outcome that is kept under the key by now answers no dry run, and stands.
    expect(await run(action, { dryRun: true }, 'bb')).to.have.nested.property('response.data.effect.seq', 2);
    expect(await run(action, { dryRun: true }, 'cc')).to.have.nested.property('response.type', 'dryRun');
    const reused = await run(action, {}, 'cc').then(
      () => 'done',
      (error: RequestError) => error.code,
    );
    expect(reused).to.equal('idempotency_mismatch');
  });
});
