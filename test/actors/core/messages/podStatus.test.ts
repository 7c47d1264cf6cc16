import { expect } from 'chai';
import { parsePodStatus, shardOwners } from '../../../../src/actors/core/messages/podStatus.ts';

const report = (token: string, recovered: boolean): string =>
  JSON.stringify({
    sinceMs: 1,
    leaving: false,
    shards: [{ shard: 0, token, recovered, loaded: recovered, accounts: 3 }],
    history: { lagMs: 0, mongoDown: false },
  });

describe('podStatus: who answers for a shard', () => {
  it('reads the time and the report', () => {
    expect(parsePodStatus('a', `1700 ${report('1:a:x', true)}`)).to.deep.include({ podId: 'a', atMs: 1700, sinceMs: 1 });
  });

  it('an owner counts while its token is the lease’s and it has recovered', () => {
    const owner = parsePodStatus('a', `1 ${report('1:a:x', true)}`);
    const recovering = parsePodStatus('b', `1 ${report('2:b:y', false)}`);
    expect(shardOwners([owner, recovering], ['1:a:x'])).to.deep.equal([owner]);
    expect(shardOwners([owner, recovering], ['2:b:y'])).to.deep.equal([undefined]);
    expect(shardOwners([owner], [null])).to.deep.equal([undefined]);
  });
});
