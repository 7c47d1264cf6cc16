// Data beside an event is compared with the fold of the event: the plan of a fill, and the facts of the table.
import type { Account, Position } from '../../../src/actors/core/account/account.ts';
import { plannedResult, resultOf } from '../../../src/actors/core/fills/fillEvent.ts';
import type { FillResult } from '../../../src/actors/core/fills/fillPlan.ts';
import { evolve } from '../../../src/actors/core/fold/evolve.ts';
import { WritableAccount } from '../../../src/actors/core/fold/writableAccount.ts';
import { factsOf } from '../../../src/actors/core/history/eventFacts.ts';
import type { Holding } from '../../../src/actors/core/margin/position.ts';
import type { AccountEvent } from '../../../src/actors/core/messages/event.ts';
import { PIPELINE } from '../../../src/features/rules.ts';
import { demand } from '../facts.ts';
import type { Invariant } from '../life.ts';
import { findDifference } from '../sameState.ts';

export const EVENTS: Invariant = {
  name: 'events',
  says: 'a fill comes with its plan, which is what a replay reads from its event; the table names all that an event changes',
  watch:
    () =>
    ({ before, entries }) => {
      let account = before;
      for (const entry of entries) {
        for (const event of entry.events) {
          if (event.type === 'orderFilled') {
            const holding = { cash: account.cash, position: account.positions.get(event.asset) };
            expectSamePlan(plannedResult(event), resultOf({ ...event }, holding));
          }
          const writable = new WritableAccount({ ...account }, 'overlay');
          evolve(writable, event, entry.timeMs, PIPELINE.evolve);
          expectNamed(event, account, writable.account);
          account = writable.account;
        }
      }
    },
};

/** Field by field, but for what the coin has ever cost in funding and the entry that its round trip began in: the fold adds both. */
function expectSamePlan(plan: FillResult | undefined, read: FillResult): void {
  if (plan === undefined) throw new Error('a fill has no plan');
  const { notional, fee, exactPnl } = plan.numbers;
  const { price, size } = plan.execution;
  const difference = findDifference(
    { price, size, notional, fee, exactPnl, before: comparable(plan.before), after: comparable(plan.after) },
    { ...read.execution, ...read.numbers, before: comparable(read.before), after: comparable(read.after) },
  );
  demand(difference === undefined, () => `the plan of a fill differs in ${difference}`);
}

function comparable({ cash, position }: Holding): object {
  return {
    cash,
    position: position && {
      ...position,
      funding: { ...position.funding, allTime: undefined },
      trip: { ...position.trip, openedAtMs: 0, openedSeq: 0 },
    },
  };
}

/** The changes of the event are in the table: money that a position stands on, and content of the shard's indexes. */
function expectNamed(event: AccountEvent, before: Account, after: Account): void {
  const { margin, touches } = factsOf(event);
  const { orders = [], triggers = [], consumption } = touches(event) ?? {};
  const moved = !before.cash.eq(after.cash) || changed(before.positions, after.positions, moneyOf).length > 0;
  demand(margin === 'moved' || !moved || after.positions.size === 0, () => `${event.type} moves money unnamed`);
  const expectTouched = (what: string, keys: readonly number[], named: readonly number[]): void =>
    demand(
      keys.every((key) => named.includes(key)),
      () => `${event.type} changes ${what} ${keys} and names ${named}`,
    );
  expectTouched(
    'orders',
    changed(before.orders, after.orders, ({ size, resting }) => `${size} ${resting.ahead} ${resting.takenOff}`),
    orders,
  );
  expectTouched(
    'triggers',
    changed(before.triggers, after.triggers, ({ waitsFor }) => waitsFor),
    triggers,
  );
  const assets = changed(before.consumption, after.consumption, (taken) => taken);
  expectTouched('consumption', assets, consumption === undefined ? [] : [consumption]);
}

const moneyOf = ({ signedSize, rawUsd }: Position): string => `${signedSize} ${rawUsd}`;

/** Keys of what is there no more, is new, or tells something else than before. */
function changed<Value>(
  before: ReadonlyMap<number, Value>,
  after: ReadonlyMap<number, Value>,
  tell: (value: Value) => unknown,
): number[] {
  if (before === after) return [];
  const told = (values: ReadonlyMap<number, Value>, key: number): unknown => {
    const value = values.get(key);
    return value === undefined ? undefined : tell(value);
  };
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => told(before, key) !== told(after, key));
}
