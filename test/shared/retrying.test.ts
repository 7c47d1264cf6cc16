import { expect } from 'chai';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { collectProcessMetrics } from '../../src/shared/metrics/processMetrics.ts';
import { Retrying, retries, retry } from '../../src/shared/retrying.ts';

const pauses = fc.record({
  firstMs: fc.integer({ min: 1, max: 20_000 }),
  factor: fc.integer({ min: 1, max: 1000 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
});

const counted = async (of: string): Promise<number> => {
  const { values } = await retries.get();
  return values.find(({ labels }) => labels.of === of)?.value ?? 0;
};

describe('Retrying: the pauses after failures', () => {
  it('begins with the first pause, doubles it up to the longest, and takes no more than the jitter away', () =>
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 40 }), ({ firstMs, factor, jitter, chance }, tries) => {
        const mostMs = firstMs * factor;
        const whole = new Retrying('pauses', { firstMs, mostMs });
        const shortened = new Retrying('pauses', { firstMs, mostMs, jitter, chance: () => chance });
        let lastMs = 0;
        for (let failed = 0; failed < tries; failed++) {
          const ms = whole.nextMs();
          expect(ms).to.equal(Math.min(mostMs, firstMs * 2 ** failed));
          expect(ms).to.be.at.least(lastMs);
          const shortMs = shortened.nextMs();
          expect(shortMs).to.be.within(ms * (1 - jitter), ms);
          lastMs = ms;
        }
        whole.succeeded();
        expect(whole.nextMs()).to.equal(firstMs);
      }),
    ));

  it('never grows when no longest pause is given', () => {
    const fixed = new Retrying('fixed', { firstMs: 250 });
    expect([fixed.nextMs(), fixed.nextMs(), fixed.nextMs()]).to.deep.equal([250, 250, 250]);
  });

  it('counts each pause by what is tried again, where every process shows it', async () => {
    const registry = new Registry();
    collectProcessMetrics(registry);
    const before = await counted('counted');
    const retrying = new Retrying('counted', { firstMs: 1 });
    retrying.nextMs();
    retrying.succeeded();
    retrying.nextMs();
    expect(await counted('counted')).to.equal(before + 2);
    expect(await registry.getSingleMetricAsString('retries_total')).to.include('retries_total{of="counted"}');
  });
});

describe('retry', () => {
  const failing = (times: number) => {
    let left = times;
    return async (): Promise<string> => {
      if (left-- > 0) throw new Error(`${left} to go`);
      return 'done';
    };
  };

  it('tries until the work is done, and says each failure', async () => {
    const said: string[] = [];
    const result = await retry(failing(3), {
      ...{ of: 'work', firstMs: 1, mostMs: 2 },
      onFailure: (error, attempt) => said.push(`${attempt}: ${String(error)}`),
    });
    expect(result).to.equal('done');
    expect(said).to.deep.equal(['1: Error: 2 to go', '2: Error: 1 to go', '3: Error: 0 to go']);
  });

  it('ends with what onFailure throws, and counts only failures that it tries again after', async () => {
    const onFailure = (error: unknown): never => {
      throw error;
    };
    const caught = await retry(failing(1), { of: 'given_up', firstMs: 1, onFailure }).catch((error: unknown) => String(error));
    expect(caught).to.equal('Error: 0 to go');
    expect(await counted('given_up')).to.equal(0);
  });

  it('ends at once, without a result, when the signal comes during a pause', async () => {
    const stop = new AbortController();
    const options = { of: 'work', firstMs: 3_600_000, signal: stop.signal };
    expect(await retry(failing(1), { ...options, onFailure: () => queueMicrotask(() => stop.abort()) })).to.equal(undefined);
    expect(await retry(failing(0), { ...options, onFailure: () => undefined })).to.equal(undefined);
  });
});
