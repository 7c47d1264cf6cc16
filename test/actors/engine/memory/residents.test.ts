import { expect } from 'chai';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { CommitDraft } from '../../../../src/actors/engine/commit/commitDraft.ts';
import { Residents } from '../../../../src/actors/engine/memory/residents.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { newestFormats } from '../../../support/formats.ts';
import { ACCOUNT_ID, Scenario } from '../../../support/scenario.ts';

describe('Residents: what a shard has in memory', () => {
  const scenario = new Scenario().given({ type: 'openAccount', depositUsd: '10000' }, { type: 'setBalance', balanceUsd: '9000' });
  const { account, entries } = scenario;
  const journaled = entries.map((entry, index) => ({ entry, commit: 41 + index }));
  const last = 40 + entries.length;

  it('an account that was found with the shard has a snapshot at once: nothing need be committed first', () => {
    const residents = new Residents({ live: new Set([ACCOUNT_ID]), committed: last + 1, formats: newestFormats });
    residents.admit(account, journaled, 0);
    expect(residents.snapshotOf(ACCOUNT_ID)).to.deep.equal({
      seq: account.seq,
      text: toSnapshot(account, NEWEST_FORMAT),
      commit: last,
    });
  });

  const next = { accountId: ACCOUNT_ID, seq: account.seq + 1, timeMs: account.timeMs, events: [], firstRows: {} };

  it('what is decided and not committed is in no snapshot; the first after the commit is kept for who has asked', () => {
    const residents = new Residents({ live: new Set([ACCOUNT_ID]), committed: last, formats: newestFormats });
    const resident = residents.admit(account, journaled, 0);
    const draft = new CommitDraft(last + 1, NEWEST_FORMAT);
    residents.onEntry(resident, next, draft);
    expect(residents.snapshotOf(ACCOUNT_ID)).to.equal(undefined);
    residents.onCommitted(draft.number);
    residents.onEntry(resident, next, new CommitDraft(last + 2, NEWEST_FORMAT));
    expect(residents.snapshotOf(ACCOUNT_ID)).to.include({ commit: last + 1 });
  });
});
