import { expect } from 'chai';
import { Registry } from 'prom-client';
import { measureLoopDelay } from '../../../src/shared/metrics/processMetrics.ts';

describe('loop_delay_seconds: how long events wait for the thread of a process', () => {
  it('counts how late each look comes, by role', async () => {
    const registry = new Registry();
    let nowMs = 1000;
    let run = (): void => undefined;
    const comeAfter = (ms: number): void => {
      nowMs += ms;
      run();
    };
    measureLoopDelay(registry, 'api', {
      nowMs: () => nowMs,
      later: (next, ms) => {
        expect(ms).to.equal(50);
        run = next;
      },
    });
    comeAfter(50);
    comeAfter(57);
    comeAfter(49.5);
    comeAfter(350);
    const text = await registry.metrics();
    const count = (le: string) =>
      Number(new RegExp(`loop_delay_seconds_bucket\\{le="${le}",role="api"\\} (\\d+)`).exec(text)?.[1]);
    expect(['0.002', '0.004', '0.008', '0.256', '1'].map(count)).to.deep.equal([2, 2, 3, 3, 4]);
  });
});
