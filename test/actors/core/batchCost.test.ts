import { expect } from 'chai';
import { batchCases } from '../../../bench/support/batchCases.ts';
import { requireOutcome } from '../../../bench/support/benchAccount.ts';
import { TriggerIndex } from '../../../src/actors/engine/index/markIndex.ts';
import { OrderIndex } from '../../../src/actors/engine/index/orderIndex.ts';
import { countWork } from '../../support/countWork.ts';

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
