import { expect } from 'chai';
import { type HashPlace, HashQueue } from '../../../../src/api/auth/password/hashQueue.ts';
import type { RequestError } from '../../../../src/shared/errors.ts';

const stranger = (subject: string): HashPlace => ({ subject, isKnown: false });
const user = (subject: string): HashPlace => ({ subject, isKnown: true });

describe('hashQueue: who waits for a password hash, and who goes first', () => {
  /** A queue whose hashes end when told to. */
  function held(perNetworkMax = 3) {
    const queue = new HashQueue({ perNetworkMax });
    const begun: string[] = [];
    let end = (): void => undefined;
    const ask = (place: HashPlace): Promise<string> =>
      queue
        .run(place, () => {
          begun.push(place.subject);
          return new Promise<void>((resolve) => {
            end = resolve;
          });
        })
        .then(
          () => 'done',
          (error: RequestError) => error.code,
        );
    const step = async (): Promise<void> => {
      end();
      for (let n = 0; n < 20; n++) await Promise.resolve();
    };
    return { queue, begun, ask, step };
  }

  it('one network fills its own places and no more; others still wait', async () => {
    const { queue, ask } = held();
    const flood = Array.from({ length: 10 }, () => ask(stranger('192.0.2.1')));
    expect(queue.load).to.equal(4);
    void ask(stranger('192.0.2.2'));
    expect(queue.load).to.equal(5);
    expect(await Promise.all(flood.slice(4))).to.deep.equal(Array(6).fill('busy'));
  });

  it('many networks fill the line of strangers; a known user waits in another and goes first', async () => {
    const { queue, begun, ask, step } = held();
    const asked = Array.from({ length: 200 }, (_, n) => ask(stranger(`network-${n}`)));
    expect(queue.load).to.equal(129);
    expect(await asked[199]).to.equal('busy');
    void ask(user('user_1'));
    await step();
    expect(begun).to.deep.equal(['network-0', 'user_1']);
  });

  it('known users and strangers take turns, each line in the order of arrival', async () => {
    const { begun, ask, step } = held();
    for (const n of [0, 1, 2]) void ask(stranger(`s${n}`));
    for (const n of [0, 1]) void ask(user(`u${n}`));
    for (let n = 0; n < 5; n++) await step();
    expect(begun).to.deep.equal(['s0', 'u0', 's1', 'u1', 's2']);
  });

  it('one known user has 64 places; a place that was used is free again', async () => {
    const { queue, ask, step } = held();
    const asked = Array.from({ length: 66 }, () => ask(user('user_1')));
    expect(queue.load).to.equal(65);
    expect(await asked[65]).to.equal('busy');
    await step();
    void ask(user('user_1'));
    expect(queue.load).to.equal(65);
  });

  it('a hash that fails gives its place on', async () => {
    const queue = new HashQueue({ perNetworkMax: 3 });
    const failed = queue.run(stranger('a'), async () => {
      throw new Error('no memory');
    });
    const next = queue.run(stranger('a'), async () => 1);
    expect(await failed.catch((error: Error) => error.message)).to.equal('no memory');
    expect(await next).to.equal(1);
    expect(queue.load).to.equal(0);
  });
});
