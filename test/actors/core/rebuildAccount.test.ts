import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { type AccountEntry, readEntries, splitEntries, writeEntry } from '../../../src/actors/core/messages/entry.ts';
import { type ArchivedPast, CannotRebuild, type KnownState } from '../../../src/actors/core/rebuildAccount.ts';
import { rebuildAccount } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { randomLife, toSteps } from '../../proof/randomSteps.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { ACCOUNT_ID, deposit, Scenario } from '../../support/scenario.ts';

/** The records of a life: hashes of all its states as they were at the time, and snapshots of some states. */
class Past implements ArchivedPast {
  readonly hashes = new Map<number, string>();
  readonly snapshots = new Map<KnownState, string>();
  texts: string[] = [];

  get states(): KnownState[] {
    return [...this.snapshots.keys()].sort((a, b) => a.seq - b.seq);
  }

  note(account: Account, keeps: boolean): void {
    this.hashes.set(account.seq, stateHashOf(account));
    if (keeps) this.keep(account, { seq: account.seq, after: account.seq, reason: 'distance' });
  }

  keep(account: Account, state: KnownState): void {
    this.snapshots.set(state, toSnapshot(account, NEWEST_FORMAT));
  }

  add(entries: readonly AccountEntry[]): void {
    this.texts.push(...entries.map((entry) => writeEntry(entry, NEWEST_FORMAT)));
  }

  snapshot = (state: KnownState): Promise<string> => Promise.resolve(this.snapshots.get(state) ?? '');

  async *entries(from: number, to: number): AsyncGenerator<{ seq: number; text: string }> {
    for (const text of this.texts) {
      const { seq } = JSON.parse(text) as { seq: number };
      if (seq >= from && seq <= to) yield { seq, text };
    }
  }
}

/** A past of five entries, with a state at the second. */
function shortPast(): Past {
  const past = new Past();
  const scenario = new Scenario(new FixtureMarket(), NEWEST_FORMAT).given(deposit('1000'));
  for (let seq = 1; seq <= 5; seq++) {
    if (seq > 1)
      scenario.given(
        { type: 'creditPlan', usd: String(seq) },
        { type: 'updateLeverage', asset: 0, marginMode: 'cross', leverage: seq },
      );
    past.note(scenario.account, scenario.account.seq === 3);
  }
  past.add(scenario.entries);
  return past;
}

const failureOf = (past: Past, seq: number): Promise<string> =>
  rebuildAccount(past, ACCOUNT_ID, seq).then(
    () => expect.fail(`entry ${seq} could be rebuilt`),
    (error: unknown) => {
      expect(error).to.be.instanceOf(CannotRebuild);
      return (error as Error).message;
    },
  );

describe('rebuildAccount: the account as of any of its entries', () => {
  it('is at every entry what it was at the time, wherever states were kept', () =>
    fc.assert(
      fc.asyncProperty(randomLife, fc.infiniteStream(fc.boolean()), async (life, keeps) => {
        const past = new Past();
        const scenario = new Scenario(new FixtureMarket(), NEWEST_FORMAT).given(deposit('10000'));
        const first = scenario.account.seq;
        past.note(scenario.account, false);
        for (const step of life) {
          for (const move of toSteps(step, scenario)) {
            scenario.given(move);
            past.note(scenario.account, keeps.next().value === true);
          }
        }
        past.add(scenario.entries);
        expect(splitEntries(`[${past.texts.join(',')}]`).map(({ text }) => text)).to.deep.equal(past.texts);
        for (const [seq, hash] of past.hashes) {
          if (seq < first) continue;
          const { account } = await rebuildAccount(past, ACCOUNT_ID, seq);
          expect(stateHashOf(account), `entry ${seq}`).to.equal(hash);
        }
      }),
      { numRuns: 25 },
    ));

  it('a state that cannot be read is left out for the one before it', async () => {
    const past = shortPast();
    const last = Math.max(...past.hashes.keys());
    const rebuilt = await rebuildAccount(past, ACCOUNT_ID, last);
    expect(rebuilt.base?.seq).to.equal(3);
    for (const state of past.states) past.snapshots.set(state, '{}');
    const without = await rebuildAccount(past, ACCOUNT_ID, last);
    expect(without.base).to.equal(undefined);
    expect(stateHashOf(without.account)).to.equal(past.hashes.get(last));
  });

  it('a missing entry is named, and the first entry after it that is possible', async () => {
    const past = shortPast();
    past.texts.splice(0, 2);
    expect(await failureOf(past, 2)).to.equal('Entries 1 to 2 are not there. The first that is possible after it is 3.');
    expect(await failureOf(past, 99)).to.match(/^Entries \d+ to 99 are not there\.$/);
    const at = past.texts.findIndex((text) => (JSON.parse(text) as { seq: number }).seq === 5);
    past.texts.splice(at, 1);
    expect(await failureOf(past, 6)).to.equal('Entry 5 is not there.');
  });

  it('an entry that cannot be folded is named', async () => {
    const past = shortPast();
    past.texts = past.texts.map((text) => text.replace(/"seq":5,(.*)"events":\[/, '"seq":5,$1"events":[{"type":"none"},'));
    expect(await failureOf(past, 5)).to.match(/^Entry 5 cannot be folded: /);
  });

  it('behind a break the account is what it went on from; entries that were lost or given up have no state', async () => {
    const past = shortPast();
    const { account } = await rebuildAccount(past, ACCOUNT_ID, 4);
    past.keep({ ...account, seq: 6 }, { seq: 6, after: 4, reason: 'entriesGivenUp' });
    const there = await rebuildAccount(past, ACCOUNT_ID, 6);
    expect(there.account.cash.toFixed()).to.equal(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)).cash.toFixed());
    expect(await failureOf(past, 5)).to.equal('Entry 5 does not count: those from 5 to 6 are given up.');
    expect((await rebuildAccount(past, ACCOUNT_ID, 4)).account.seq).to.equal(4);
  });
});

describe('splitEntries: the texts of a commit’s entries', () => {
  const entry = (accountId: string, seq: number, rest = '') =>
    `{"accountId":"${accountId}","seq":${seq},"timeMs":7${rest},"events":[],"firstRows":{},"v":1}`;

  it('are what stands in the commit, whatever is in them', () => {
    const texts = [entry('0x1', 1), entry('0x2', 5, ',"note":"},{\\"accountId\\":\\"0x3\\",\\"seq\\":1"'), entry('0x1', 2)];
    const found = splitEntries(`[${texts.join(',')}]`);
    expect(found.map(({ text }) => text)).to.deep.equal(texts);
    expect(found.map(({ accountId, seq, timeMs }) => [accountId, seq, timeMs])).to.deep.equal([
      ['0x1', 1, 7],
      ['0x2', 5, 7],
      ['0x1', 2, 7],
    ]);
    expect(splitEntries('[]')).to.deep.equal([]);
  });

  it('entries that begin otherwise are found too, and read as the same', () => {
    const text = `[{"seq":3,"accountId":"0x1","timeMs":7,"events":[],"firstRows":{},"v":1},${entry('0x2', 5)}]`;
    const found = splitEntries(text);
    expect(found.map(({ accountId, seq }) => [accountId, seq])).to.deep.equal([
      ['0x1', 3],
      ['0x2', 5],
    ]);
    expect(found.flatMap(({ text: one }) => readEntries(`[${one}]`))).to.deep.equal(readEntries(text));
  });
});
