// Counts what a piece of code does, instead of timing it: operations on decimals, look-ups and steps through maps and
// sets, and elements that array methods go through. The count is the same on every machine, so a test can compare the
// work for 100 elements with that for 1,000.
import { Decimal } from '../../src/shared/domain/decimal.ts';

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

/** @returns the result of `work`, and the number of its steps */
export function countWork<Result>(work: () => Result): { readonly result: Result; readonly steps: number } {
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
