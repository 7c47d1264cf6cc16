import { expect } from 'chai';
import { SerialReads, WAITING_MAX } from '../../../src/api/dashboard/serialReads.ts';
import { RequestError } from '../../../src/shared/errors.ts';

describe('SerialReads: one after the other, with a bound', () => {
  it('runs in order, goes on after a failure, and refuses what is too much', async () => {
    const reads = new SerialReads();
    const ran: number[] = [];
    let running = 0;
    const read = (number: number) => async (): Promise<number> => {
      expect(++running).to.equal(1);
      await Promise.resolve();
      ran.push(number);
      running -= 1;
      if (number === 1) throw new Error('one fails');
      return number;
    };
    const asked = Array.from({ length: WAITING_MAX + 1 }, (_, number) => reads.run(read(number)));
    const settled = await Promise.allSettled(asked);
    expect(ran).to.deep.equal(Array.from({ length: WAITING_MAX }, (_, number) => number));
    expect(settled.map(({ status }) => status === 'rejected').flatMap((failed, i) => (failed ? [i] : []))).to.deep.equal([
      1,
      WAITING_MAX,
    ]);
    const refusal: unknown = (settled.at(-1) as PromiseRejectedResult).reason;
    expect(refusal instanceof RequestError && [refusal.status, refusal.code]).to.deep.equal([503, 'busy']);
    expect(await reads.run(read(99))).to.equal(99);
  });
});
