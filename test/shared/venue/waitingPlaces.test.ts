import { expect } from 'chai';
import { WaitingPlaces } from '../../../src/shared/venue/waitingPlaces.ts';

const LONG_MS = 60_000;

describe('waiting places: of all and of one, and who waits for them', () => {
  it('go to those who wait in their order; a holder with all of its own keeps no other waiting', async () => {
    const places = new WaitingPlaces({ all: 3, each: 2, waiting: 10 });
    const took: string[] = [];
    const take = async (holder: string): Promise<() => void> => {
      const leave = await places.take(holder, LONG_MS);
      took.push(holder);
      return leave as () => void;
    };
    const first = [await take('ann'), await take('ann')];
    const waiting = [take('ann'), take('ann')];
    const bob = await take('bob');
    const cid = take('cid');
    expect(took).to.deep.equal(['ann', 'ann', 'bob']);
    bob();
    (await cid)();
    expect(took).to.deep.equal(['ann', 'ann', 'bob', 'cid']);
    for (const leave of first) leave();
    for (const one of waiting) (await one)();
    expect(took).to.deep.equal(['ann', 'ann', 'bob', 'cid', 'ann', 'ann']);
  });

  it('who waits too long goes without, and so does who comes when too many wait', async () => {
    const places = new WaitingPlaces({ all: 1, each: 1, waiting: 1 });
    const leave = (await places.take('ann', LONG_MS)) as () => void;
    const bob = places.take('bob', 1);
    expect(await places.take('cid', LONG_MS)).to.equal(undefined);
    expect(await bob).to.equal(undefined);
    leave();
    expect(await places.take('cid', 0)).to.be.a('function');
  });
});
