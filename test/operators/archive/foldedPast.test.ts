// The fold of an account's past goes over every hole that is explained, and over no other.
import { expect } from 'chai';
import type { Account } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { writeEntry } from '../../../src/actors/core/messages/entry.ts';
import { writeStateDocument } from '../../../src/actors/engine/journal/archiveStates.ts';
import { Differs } from '../../../src/operators/archive/firstDifference.ts';
import { compare, FoldedPast } from '../../../src/operators/archive/foldedPast.ts';
import { readState, type StateDocument, type StateReason } from '../../../src/shared/archive/archiveForm.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { deposit, Scenario } from '../../support/scenario.ts';

describe('an account’s past, folded', () => {
  const scenario = new Scenario(new FixtureMarket(), NEWEST_FORMAT);
  /** Snapshots by entry. */
  const lives = new Map<number, string>();
  for (let usd = 1; usd <= 12; usd++) {
    scenario.given(usd === 1 ? deposit('1000') : { type: 'creditPlan', usd: String(usd) });
    lives.set(scenario.account.seq, toSnapshot(scenario.account, NEWEST_FORMAT));
  }
  const all = scenario.entries.map((entry) => ({ seq: entry.seq, text: writeEntry(entry, NEWEST_FORMAT) }));
  const at = (seq: number): Account => fromSnapshot(lives.get(seq) ?? expect.fail(`no state ${seq}`));

  const stateOf = (seq: number, reason: StateReason, after = seq): Promise<StateDocument> => {
    const text = toSnapshot(at(seq), NEWEST_FORMAT);
    const accountId = scenario.account.id;
    return writeStateDocument({ shard: 0, format: NEWEST_FORMAT }, { accountId, seq, text, reason, after });
  };

  /** Folds what is left of the past, and expects the newest state as the snapshot has it. */
  async function folded(states: readonly StateDocument[], isThere: (seq: number) => boolean, newest = 12): Promise<FoldedPast> {
    const snapshot = (head: { readonly _id: string }) =>
      readState(states.find(({ _id }) => _id === head._id) ?? expect.fail(head._id));
    const fold = new FoldedPast({ accountId: scenario.account.id, states, snapshot });
    fold.expect({ seq: newest, where: 'snapshot', check: (state) => compare(state, at(newest), 'snapshot') });
    for (const entry of all) if (isThere(entry.seq)) await fold.step(entry);
    await fold.end();
    return fold;
  }

  const difference = (folding: Promise<unknown>): Promise<string> =>
    folding.then(
      () => expect.fail('nothing was found'),
      (error: Error) => {
        expect(error).to.be.instanceOf(Differs);
        return error.message;
      },
    );
  const upTo = (last: number) => (seq: number) => seq <= last;
  const without = (from: number, to: number) => (seq: number) => seq < from || seq > to;

  it('a whole one has no notes', async () => {
    const { notes, folded: count } = await folded([await stateOf(5, 'distance')], () => true);
    expect({ notes, count }).to.deep.equal({ notes: [], count: all.length });
  });

  it('what MongoDB’s snapshot had, and the archive not yet, when Redis lost it all: it goes on from the state of the loss', async () => {
    const states = [await stateOf(9, 'redisLost')];
    const atEnd = await folded(states, upTo(6), 9);
    expect(atEnd.notes).to.deep.equal(['Entries 7 to 9 had not been archived when Redis lost them; it goes on from state 9.']);
    const within = await folded(states, without(7, 9));
    expect(within.notes).to.deep.equal(atEnd.notes);
    expect(within.hash).to.not.equal(undefined);
  });

  it('a hole that does not reach the loss is damage, and so is one of a state that is no break', async () => {
    expect(await difference(folded([await stateOf(9, 'redisLost')], without(5, 6)))).to.match(/^entry 5, archive, entries/);
    expect(await difference(folded([await stateOf(9, 'distance')], without(7, 9)))).to.match(/^entry 7, archive, entries/);
    expect(await difference(folded([await stateOf(9, 'redisLost')], without(9, 10)))).to.match(/^entry 9, archive, entries/);
  });

  it('entries that are missing at the end are found by a state of the archive, without a snapshot', async () => {
    expect(await difference(folded([await stateOf(9, 'distance')], upTo(6), 6))).to.match(/^entry 9, archiveStates .*, seq/);
  });

  it('a past that begins after its first state lacks entries', async () => {
    const begins = [await stateOf(4, 'distance')];
    expect((await folded(begins, (seq) => seq > 4)).notes).to.have.length(1);
    expect(await difference(folded(begins, (seq) => seq > 6))).to.match(/^entry 5, archive, entries: expected entries 5 to 6/);
  });

  it('a state whose time is another, by which retention would go, is found', async () => {
    const state = await stateOf(5, 'distance');
    const later = { ...state, timeMs: state.timeMs + 1 };
    expect(await difference(folded([later], () => true))).to.match(/^entry 5, archiveStates .*, timeMs/);
    expect(fromSnapshot(await readState(state)).timeMs).to.equal(state.timeMs);
  });
});
