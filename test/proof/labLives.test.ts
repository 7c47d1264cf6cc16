// Random lives of which a part comes with a key that has a failure lab: late orders and cancels, partial fills, held orders. Every
// invariant of other lives holds in them too.
import { expect } from 'chai';
import fc from 'fast-check';
import { INVARIANTS } from './invariants/all.ts';
import { live } from './life.ts';
import { lifeInLab } from './randomSteps.ts';

const LIVES = 300;

describe('lives under a failure lab', function () {
  this.timeout(600_000);

  it(`${LIVES} random ones keep every invariant, and meet all that a lab does`, () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(lifeInLab, (steps) => {
        for (const { events } of live(steps, INVARIANTS).entries) for (const { type } of events) met.add(type);
      }),
      { numRuns: LIVES, seed: 1 },
    );
    expect([...met]).to.include.members([
      'actionDelayed',
      'delayedActionDecided',
      'delayedActionsDropped',
      'orderHeld',
      'orderLetGo',
    ]);
  });
});
