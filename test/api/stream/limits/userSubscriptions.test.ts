import { expect } from 'chai';
import { UserSubscriptions } from '../../../../src/api/stream/limits/userSubscriptions.ts';

describe('UserSubscriptions: what all sockets of a user may have', () => {
  const subscription = { type: 'l2Book' };

  it('no more than the bound, and again as many as were left', () => {
    const all = new UserSubscriptions();
    const refusals = Array.from({ length: 5 }, () => all.take(subscription, 4));
    expect(refusals).to.deep.equal([
      ...[undefined, undefined, undefined, undefined],
      'Cannot subscribe to more than 4 channels over all connections.',
    ]);
    all.release(subscription);
    expect([all.take(subscription, 4), all.take(subscription, 4) === undefined]).to.deep.equal([undefined, false]);
  });

  it('an address counts once, until its last subscription is over', () => {
    const all = new UserSubscriptions();
    const of = (user: string) => ({ type: 'orderUpdates', user });
    for (let n = 0; n < 10; n++) expect(all.take(of(`0x${n}`), 100)).to.equal(undefined);
    expect(all.take(of('0x0'), 100)).to.equal(undefined);
    all.release(of('0x0'));
    expect(all.take(of('0xa'), 100)).to.equal('Cannot track more than 10 total users.');
    all.release(of('0x0'));
    expect(all.take(of('0xa'), 100)).to.equal(undefined);
  });
});
