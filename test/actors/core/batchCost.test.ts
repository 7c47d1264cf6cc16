import { expect } from 'chai';
import { batchCases } from '../../../bench/support/batchCases.ts';
import { requireOutcome } from '../../../bench/support/benchAccount.ts';
import { TriggerIndex } from '../../../src/actors/engine/index/markIndex.ts';
import { OrderIndex } from '../../../src/actors/engine/index/orderIndex.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';

/**
 * The steps that one element may take on average: some hundred µs at a tenth of a microsecond a step, whatever its neighbours are.
 */
const STEPS_MAX = 1500;
/** Among ten times the orders a search tree looks half as far again; a list would look ten times as far. */
const GROWTH_MAX = 2;

/** Steps of decision, entry and indexes for each element of an action of n. */
function stepsPerElement({ account, command, expected }: (typeof batchCases)[number], n: number): number {
  const bench = account(n);
  const wanted = command(n, bench);
  const [orders, triggers] = [new OrderIndex(), new TriggerIndex()];
  orders.add(bench.account);
  triggers.add(bench.account);
  const { steps, result } = countWork(() => {
    const decision = bench.decide(wanted);
    const { events } = bench.record(decision);
    orders.update(bench.account, events);
    triggers.update(bench.account, events);
    return decision;
  });
  requireOutcome(result.outcome, expected);
  return steps / n;
}

describe('an action of a thousand elements does a thousand times the work of one', () => {
  for (const one of batchCases) {
    it(`${one.name}: counted, not timed`, () => {
      const [hundred, thousand] = [stepsPerElement(one, 100), stepsPerElement(one, 1000)];
      expect(thousand, `steps per element; ${Math.round(hundred)} of 100`).to.be.below(GROWTH_MAX * hundred);
      expect(thousand).to.be.below(STEPS_MAX);
    });
  }
});

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Methods = Record<string, Method>;

const DECIMAL_METHODS = ['plus', 'minus', 'times', 'div', 'cmp', 'eq', 'toString', 'toNumber', 'toDecimalPlaces'];
const MAP_METHODS = ['get', 'set', 'has', 'delete'];
const ARRAY_METHODS = [
  'map',
  'filter',
  'flatMap',
  'forEach',
  'some',
  'every',
  'find',
  'findIndex',
  'reduce',
  'slice',
  'splice',
  'sort',
];

/**
 * Counts the steps of a piece of code, instead of timing it: operations on decimals, look-ups and steps through maps and sets, and elements
 * that array methods go through. The count is the same on every machine, so a test can compare the work for 100 elements with the work for
 * 1,000.
 */
function countWork<Result>(work: () => Result): { readonly result: Result; readonly steps: number } {
  let steps = 0;
  const undo: (() => void)[] = [];
  const count = (prototype: object, names: readonly string[], stepsOf: (self: unknown) => number = () => 1): void => {
    const methods = prototype as Methods;
    for (const name of names) {
      const original = methods[name] as Method;
      methods[name] = function counted(...args) {
        steps += stepsOf(this);
        return original.apply(this, args);
      };
      undo.push(() => {
        methods[name] = original;
      });
    }
  };
  count(Decimal.prototype, DECIMAL_METHODS);
  count(Map.prototype, MAP_METHODS);
  count(Set.prototype, ['add', 'has', 'delete']);
  for (const iterator of [new Map().keys(), new Set().keys(), [].values()]) count(Object.getPrototypeOf(iterator), ['next']);
  count(Array.prototype, ARRAY_METHODS, (self) => (self as unknown[]).length);
  try {
    const result = work();
    return { result, steps };
  } finally {
    for (const one of undo) one();
  }
}
