import { expect } from 'chai';
import { type Durability, isOnDisk, type ReadPage, type ServerState, stateOf } from '../../../src/shared/redis/durableJournal.ts';

const READ_MS = 1_000_000;
const EVERYSEC: Durability = { isAlways: false, delayMs: 10_000 };
const ALWAYS: Durability = { isAlways: true, delayMs: 10_000 };
const page = (quietMs: number | undefined = READ_MS): ReadPage => ({
  ...{ commits: [], chars: 0, quietMs },
  read: { timeMs: READ_MS, offset: 500 },
});
const later = (ms: number, state: Partial<ServerState> = {}): ServerState => ({
  ...{ timeMs: READ_MS + ms, isSyncing: false, isWritten: true, offset: 900, replicas: [] },
  ...state,
});

describe('durableJournal: a commit is given when Redis can no longer lose it', () => {
  const cases: { name: string; now: ServerState; page?: ReadPage; durability?: Durability; want: boolean }[] = [
    { name: 'a sync may not have begun yet', now: later(1199), want: false },
    { name: 'the sync that took it along is over', now: later(1200), want: true },
    { name: 'a sync is under way, which may be that one', now: later(1200, { isSyncing: true }), want: false },
    {
      name: 'a sync was always under way: it may not be in the file',
      now: later(5000),
      page: { ...page(), quietMs: undefined },
      want: false,
    },
    { name: 'the file is quiet later than it was read', now: later(2000), page: page(READ_MS + 801), want: false },
    { name: 'the last write or sync has failed', now: later(5000, { isWritten: false }), want: false },
    { name: 'Redis does not tell, and it is younger than the history', now: later(9999, { isSyncing: undefined }), want: false },
    { name: 'Redis does not tell, and it is as old as the history', now: later(10_000, { isSyncing: undefined }), want: true },
    { name: 'a replica has not got it', now: later(1200, { replicas: [900, 499] }), want: false },
    { name: 'all replicas have it', now: later(1200, { replicas: [900, 500] }), want: true },
    { name: 'a replica stands still: as the history', now: later(10_000, { replicas: [0] }), want: true },
    { name: 'Redis syncs before it answers', now: later(0, { isSyncing: undefined }), durability: ALWAYS, want: true },
    {
      name: 'Redis syncs before it answers, and a replica has not got it',
      now: later(0, { replicas: [1] }),
      durability: ALWAYS,
      want: false,
    },
  ];
  for (const { name, now, page: read = page(), durability = EVERYSEC, want } of cases) {
    it(`${name}: ${want ? 'given' : 'not given'}`, () => expect(isOnDisk(read, now, durability)).to.equal(want));
  }

  it('what Redis says is read by name, from whichever version', () => {
    const persistence = '# Persistence\r\naof_enabled:1\r\naof_last_write_status:ok\r\naof_pending_bio_fsync:1\r\n';
    const replication =
      '# Replication\r\nrole:master\r\nslave0:ip=::1,port=6380,state=online,offset=41,lag=0\r\n' +
      'slave1:ip=::1,port=6381,state=wait_bgsave,offset=0,lag=0\r\nmaster_repl_offset:42\r\n';
    expect(stateOf(7, persistence, replication)).to.deep.equal({
      ...{ timeMs: 7, isSyncing: true, isWritten: true, offset: 42, replicas: [41] },
    });
    expect(stateOf(7, persistence.replace('fsync:1', 'fsync:0'), '').isSyncing).to.equal(false);
    expect(stateOf(7, persistence.replace('enabled:1', 'enabled:0'), '').isSyncing).to.equal(undefined);
    expect(stateOf(7, '', '')).to.deep.equal({ timeMs: 7, isSyncing: undefined, isWritten: false, offset: 0, replicas: [] });
  });
});
