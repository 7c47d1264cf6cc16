// Invariants about replay, time and the form of numbers.

import { type Account, emptyAccount } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { applyEntry } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID } from '../../support/scenario.ts';
import { demand, same } from '../facts.ts';
import type { Invariant } from '../life.ts';
import { expectSameState } from '../sameState.ts';

export const MEMORY: readonly Invariant[] = [
  {
    name: 'invariant 27',
    says: 'folding the journal gives the live state, its snapshot byte for byte, also from a snapshot taken on the way',
    watch: () => {
      let replayed: Account = emptyAccount(ACCOUNT_ID);
      let steps = 0;
      return ({ journal, account }) => {
        if (journal.length === 0) return;
        for (const entry of journal) replayed = applyEntry(replayed, JSON.parse(entry));
        expectSameState(replayed, account, 'the replayed state');
        steps += 1;
        if (steps % 5 !== 0) return;
        const text = toSnapshot(account, NEWEST_FORMAT);
        same(toSnapshot(replayed, NEWEST_FORMAT), text, 'the replayed state');
        replayed = fromSnapshot(text);
      };
    },
  },
  {
    name: 'invariant 31',
    says: 'time never runs backwards, and entries follow each other without holes',
    watch: () => {
      let [seq, timeMs] = [0, 0];
      return ({ entries }) => {
        for (const entry of entries) {
          same(entry.seq, seq + 1, 'the number of the entry');
          demand(entry.timeMs >= timeMs, `entry ${entry.seq} goes back in time`);
          ({ seq, timeMs } = entry);
        }
      };
    },
  },
  {
    name: 'invariant 30',
    says: 'every number is plain decimal text: no NaN, no exponent, no negative zero',
    watch: () => (moment) => {
      for (const entry of moment.journal) expectPlain(entry, 'the journal');
      if (moment.isNews) expectPlain(JSON.stringify(moment.state), 'clearinghouseState');
    },
  },
];

/** A number, as text or not, that no client should have to read. */
const NOT_PLAIN = /"-?[\d.]+[eE][+-]?\d+"|"-0(\.0*)?"|"-?\d+\.\d+0"|"-?0\d+(\.\d+)?"|"NaN"|"-?Infinity"|"undefined"/;

function expectPlain(json: string, what: string): void {
  const [found] = NOT_PLAIN.exec(json) ?? [];
  demand(found === undefined, `${what} has ${found}`);
}
