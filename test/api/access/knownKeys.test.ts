import { expect } from 'chai';
import { KnownKeys } from '../../../src/api/access/keyRecord.ts';
import { leastCpuMs } from '../../support/leastCpu.ts';

const recordOf = (userId: string) => ({ caller: { userId } });

describe('knownKeys: a change of one user costs what that user has, however many keys a node knows', () => {
  it('forgets all keys of one user, and no others', () => {
    const keys = new KnownKeys<{ caller: { userId: string } }>();
    for (const digest of ['a1', 'a2']) keys.set(digest, { record: recordOf('a'), refreshAtMs: 1 });
    keys.set('b1', { record: recordOf('b'), refreshAtMs: 1 });
    keys.set('a1', { record: recordOf('a'), refreshAtMs: 2 });
    expect([...keys.deleteAllOf('a')].sort()).to.deep.equal(['a1', 'a2']);
    expect(keys.get('a1')).to.equal(undefined);
    expect(keys.get('b1')?.record.caller.userId).to.equal('b');
    expect(keys.deleteAllOf('a')).to.deep.equal([]);
  });

  it('a key that passes to another user, or is dropped, is no longer the first one’s', () => {
    const keys = new KnownKeys<{ caller: { userId: string } }>();
    keys.set('one', { record: recordOf('a'), refreshAtMs: 1 });
    keys.set('one', { record: recordOf('b'), refreshAtMs: 1 });
    expect(keys.deleteAllOf('a')).to.deep.equal([]);
    keys.delete('one');
    expect(keys.deleteAllOf('b')).to.deep.equal([]);
  });

  it('100,000 known keys make the change of a user without keys no dearer', () => {
    const few = new KnownKeys<{ caller: { userId: string } }>();
    const many = new KnownKeys<{ caller: { userId: string } }>();
    for (let n = 0; n < 100_000; n++) many.set(`d${n}`, { record: recordOf(`u${n}`), refreshAtMs: 1 });
    const cost = (keys: KnownKeys<{ caller: { userId: string } }>): number =>
      leastCpuMs(() => {
        for (let n = 0; n < 1000; n++) keys.deleteAllOf('nobody');
      });
    // A scan would be 100,000 times as much.
    expect(cost(many)).to.be.below(100 * Math.max(1, cost(few)));
  });

  it('past its bound the oldest are dropped', () => {
    const keys = new KnownKeys<{ caller: { userId: string } }>();
    for (let n = 0; n <= 100_000; n++) keys.set(`d${n}`, { record: recordOf(`u${n}`), refreshAtMs: 1 });
    expect(keys.get('d0')).to.equal(undefined);
    expect(keys.deleteAllOf('u0')).to.deep.equal([]);
    expect(keys.get('d100000')).to.not.equal(undefined);
  });
});
