import { expect } from 'chai';
import { UserSubscriptions } from '../../../src/api/stream/limits.ts';

describe('UserSubscriptions: what all sockets of a user may have', () => {
  const subscription = { type: 'l2Book' };
  const isOther = () => false;

  it('no more than the bound, and again as many as were left', () => {
    const all = new UserSubscriptions();
    const refusals = Array.from({ length: 5 }, () => all.take(subscription, 4, isOther));
    expect(refusals).to.deep.equal([
      ...[undefined, undefined, undefined, undefined],
      'Cannot subscribe to more than 4 channels over all connections.',
    ]);
    all.release(subscription);
    expect([all.take(subscription, 4, isOther), all.take(subscription, 4, isOther) === undefined]).to.deep.equal([
      undefined,
      false,
    ]);
  });

  it('an address counts once, until its last subscription is over', () => {
    const all = new UserSubscriptions();
    const of = (user: string) => ({ type: 'orderUpdates', user });
    for (let n = 0; n < 15; n++) expect(all.take(of(`0x${n}`), 100, isOther)).to.equal(undefined);
    expect(all.take(of('0x0'), 100, isOther)).to.equal(undefined);
    all.release(of('0x0'));
    expect(all.take(of('0xf0'), 100, isOther)).to.equal('Cannot track more than 15 total users.');
    all.release(of('0x0'));
    expect(all.take(of('0xf0'), 100, isOther)).to.equal(undefined);
  });

  it('addresses of the user’s own accounts count as subscriptions alone', () => {
    const all = new UserSubscriptions();
    const isOwn = (address: string) => address.startsWith('0xown');
    const take = (user: string) => all.take({ type: 'orderUpdates', user } as { type: string }, 100, isOwn);
    for (let n = 0; n < 51; n++) expect(take(`0xown${n}`)).to.equal(undefined);
    for (let n = 0; n < 15; n++) expect(take(`0x${n}`)).to.equal(undefined);
    expect(take('0xf0')).to.equal('Cannot track more than 15 total users.');
    expect(take('0xown51')).to.equal(undefined);
  });
});
