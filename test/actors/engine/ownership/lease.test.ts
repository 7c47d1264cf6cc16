import { expect } from 'chai';
import { LeaseTerm } from '../../../../src/actors/engine/ownership/lease.ts';
import { RetryableError } from '../../../../src/shared/errors.ts';

const TTL_MS = 600_000;

describe('leaseTerm: how long a pod believes in a lease by itself', () => {
  it('it runs from when the lease was asked for, a little less than its life in Redis', () => {
    expect(new LeaseTerm(TTL_MS, performance.now()).isRunning).to.equal(true);
    expect(new LeaseTerm(TTL_MS, performance.now() - 0.96 * TTL_MS).isRunning).to.equal(false);
  });

  it('while it runs a write may begin, and none when it has ended, until it is renewed', () => {
    const term = new LeaseTerm(TTL_MS, performance.now() - TTL_MS);
    expect(term.requireRunning).to.throw(RetryableError, 'lease');
    expect(term.renewed(performance.now())).to.equal(true);
    term.requireRunning();
    expect(term.renewed(performance.now())).to.equal(false);
  });
});
