// Invariants about replay, time and the form of numbers.

import { type Account, emptyAccount } from '../../../src/actors/domain/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/domain/account/snapshot.ts';
import { resultOf } from '../../../src/actors/domain/fills/fillEvent.ts';
import type { FillResult } from '../../../src/actors/domain/fills/fillPlan.ts';
import { applyEntry, evolve } from '../../../src/actors/domain/fold/evolve.ts';
import { WritableAccount } from '../../../src/actors/domain/fold/writableAccount.ts';
import type { Holding } from '../../../src/actors/domain/margin/position.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID } from '../../support/scenario.ts';
import { demand, same } from '../facts.ts';
import type { Invariant } from '../life.ts';
import { expectSameState, findDifference } from '../sameState.ts';

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
    name: 'plans',
    says: 'every fill is decided with its plan, and the plan says what a replay reads from the event',
    watch:
      () =>
      ({ before, entries, plans }) => {
        if (!entries.some(({ events }) => events.some(({ type }) => type === 'orderFilled'))) return;
        const replay = new WritableAccount({ ...before }, 'copy');
        for (const entry of entries) {
          for (const event of entry.events) {
            if (event.type === 'orderFilled') {
              const { cash, positions } = replay.account;
              expectSamePlan(plans.get(event), resultOf(event, { cash, position: positions.get(event.asset) }));
            }
            evolve(replay, event, entry);
          }
        }
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

/** Field by field, but for what the coin has ever cost in funding: that is no part of a plan, the fold adds it. */
function expectSamePlan(plan: FillResult | undefined, read: FillResult): void {
  if (plan === undefined) throw new Error('a fill has no plan');
  const { notional, fee, closedPnl } = plan.numbers;
  const { price, size } = plan.execution;
  const difference = findDifference(
    { price, size, notional, fee, closedPnl, before: comparable(plan.before), after: comparable(plan.after) },
    { ...read.execution, ...read.numbers, before: comparable(read.before), after: comparable(read.after) },
  );
  demand(difference === undefined, () => `the plan of a fill differs in ${difference}`);
}

function comparable({ cash, position }: Holding): object {
  return { cash, position: position && { ...position, funding: { ...position.funding, allTime: undefined } } };
}

/** A number, as text or not, that no client should have to read. */
const NOT_PLAIN = /"-?[\d.]+[eE][+-]?\d+"|"-0(\.0*)?"|"-?\d+\.\d+0"|"-?0\d+(\.\d+)?"|"NaN"|"-?Infinity"|"undefined"/;

function expectPlain(json: string, what: string): void {
  const [found] = NOT_PLAIN.exec(json) ?? [];
  demand(found === undefined, `${what} has ${found}`);
}
