// Which entries of an account are kept, while the archive has a state of it and no entry yet: a snapshot may come there first.
import { expect } from 'chai';
import { writeStates } from '../../../src/actors/engine/journal/archiveStates.ts';
import { keptEntries, oldestState } from '../../../src/api/accounts/keptJournal.ts';
import type { Call } from '../../../src/api/accounts/services.ts';
import { Forks } from '../../../src/features/copies/forks.ts';
import { tradingRules } from '../../../src/features/rules.ts';
import { ArchiveReader } from '../../../src/shared/archive/archiveReader.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { newestFormats } from '../../support/formats.ts';

describe('entries that are kept', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  before(async () => {
    // No entry comes to the archive.
    bench = await ActorBench.start({ SHARDS: '1', HISTORY_DELAY_MS: '600000' });
    await bench.startOnlyPod();
  });
  after(() => bench.stop());

  it('are all of a new account whose state is archived before them', async () => {
    const account = accountName(1);
    const gateway = await bench.startNodeGateway();
    for (const command of [commands.open, commands.place(), commands.place()])
      await gateway.send(account, command, { requestId: 'r' });
    const call: Call = {
      ...{ requestId: 'r', receivedAtMs: 0 },
      caller: { userId: 'user_1', accountId: account, address: account, master: account, plan: 'basic', keyId: '' },
    };
    const forks = new Forks({ gateway, mongo: bench.mongo, formats: newestFormats, log: bench.log, rules: tradingRules });
    const { snapshot: text } = await forks.read(call, { seq: 2 });
    const target = { mongo: bench.mongo, shard: 0, format: newestFormats.current };
    await writeStates(target, [{ accountId: account, seq: 2, text, reason: 'distance' }]);
    const reader = new ArchiveReader(bench.mongo, account);
    const parts = { reader, services: { gateway }, call };
    const states = await reader.states();
    expect(states.map(({ seq }) => seq)).to.deep.equal([2]);
    expect(await oldestState(parts, states)).to.equal(undefined);
    const seqs: number[] = [];
    for await (const { seq } of keptEntries(parts, 1, 3)) seqs.push(seq);
    expect(seqs).to.deep.equal([1, 2, 3]);
    expect((await forks.read(call, { seq: 1 })).origin.seq).to.equal(1);
  });
});
