import { expect } from 'chai';
import type { Subscriber, Subscription } from '../../../../src/api/stream/channel/channel.ts';
import { type Broadcast, type Source, sharedChannel } from '../../../../src/api/stream/channel/sharedChannel.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

interface OfCoin extends Subscription {
  readonly coin: string;
}

describe('shared channel: one source for all subscribers, whose users pay its questions in turn', () => {
  const sent: OfCoin = { type: 'candle', coin: 'BTC' };
  const source: Source = { snapshot: () => [], close: () => undefined };
  const subscriber = (userId: string): Subscriber => ({ call: () => ({ caller: { userId } }) }) as unknown as Subscriber;

  /** A channel whose sources open, or fail, when the test says so. */
  function channel() {
    const opened: { broadcast: Broadcast; ready: (source: Source) => void; fail: (error: Error) => void }[] = [];
    const shared = sharedChannel<OfCoin>(
      (_subscription, broadcast) =>
        new Promise((resolve, reject) => {
          opened.push({ broadcast, ready: resolve, fail: reject });
        }),
    );
    return { shared, opened };
  }
  const limited = new RequestError(429, 'upstream_limited', 'Try again.');

  it('each subscriber’s user is the first to pay in turn; one who left pays no more', async () => {
    const { shared, opened } = channel();
    const openings = ['ann', 'bob', 'cid'].map((user) => shared.open(sent, subscriber(user)));
    const [one] = opened;
    const turns = [one?.broadcast.payers(), one?.broadcast.payers(), one?.broadcast.payers(), one?.broadcast.payers()];
    expect(turns.map((turn) => turn?.[0])).to.deep.equal(['ann', 'bob', 'cid', 'ann']);
    one?.ready(source);
    const [, bob] = await Promise.all(openings);
    bob?.close();
    expect(one?.broadcast.payers()).to.have.members(['ann', 'cid']);
  });

  it('asks no more than some of many users for one question', () => {
    const { shared, opened } = channel();
    for (let i = 0; i < 50; i++) void shared.open(sent, subscriber(`user-${i}`));
    expect(opened[0]?.broadcast.payers()).to.have.length(4);
  });

  it('what was refused to the first for using much is asked again for those who came meanwhile', async () => {
    const { shared, opened } = channel();
    const ann = Promise.resolve(shared.open(sent, subscriber('ann'))).catch((error: Error) => error);
    const bob = shared.open(sent, subscriber('bob'));
    opened[0]?.fail(limited);
    expect(await ann).to.equal(limited);
    await Promise.resolve();
    expect(opened).to.have.length(2);
    expect(opened[1]?.broadcast.payers()).to.deep.equal(['bob']);
    opened[1]?.ready(source);
    expect(await bob).to.have.property('start');
  });

  it('another failure is the failure of all', async () => {
    const { shared, opened } = channel();
    const openings = ['ann', 'bob'].map((user) => Promise.resolve(shared.open(sent, subscriber(user))).catch(() => 'failed'));
    opened[0]?.fail(new Error('away'));
    expect(await Promise.all(openings)).to.deep.equal(['failed', 'failed']);
    expect(opened).to.have.length(1);
  });

  it('a user with very many subscriptions has those slower that nobody else has', async () => {
    const { shared, opened } = channel();
    const of = (coin: number): OfCoin => ({ type: 'candle', coin: String(coin) });
    const ann = Array.from({ length: 300 }, (_, coin) => shared.open(of(coin), subscriber('ann')));
    const [first] = opened;
    expect(first?.broadcast.paceMs()).to.equal(0);
    for (let coin = 300; coin < 600; coin++) ann.push(shared.open(of(coin), subscriber('ann')));
    expect(opened.map(({ broadcast }) => broadcast.paceMs()).every((ms) => ms === 2000)).to.equal(true);
    const bob = shared.open(of(0), subscriber('bob'));
    expect(opened.map(({ broadcast }) => broadcast.paceMs()).slice(0, 2)).to.deep.equal([0, 2000]);
    for (const one of opened) one.ready(source);
    (await bob).close();
    expect(first?.broadcast.paceMs()).to.equal(2000);
    for (const one of (await Promise.all(ann)).slice(300)) one.close();
    expect(first?.broadcast.paceMs()).to.equal(0);
  });
});
