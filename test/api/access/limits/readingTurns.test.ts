import { expect } from 'chai';
import { ReadingTurns } from '../../../../src/api/access/limits/readingTurns.ts';
import { RequestError } from '../../../../src/shared/errors.ts';

describe('reading turns: bounded on a node and for a user, in turns by user', () => {
  const LIMITS = { atOnce: 2, atOnceOfUser: 1, waiting: 6, waitingOfUser: 3 };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** Reads that end when the test says so. */
  function reads(limits = LIMITS) {
    const turns = new ReadingTurns(limits);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const ask = (user: string, name: string): Promise<unknown> =>
      turns
        .run(user, async () => {
          begun.push(name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
          return name;
        })
        .catch((error: RequestError) => [error.status, error.code]);
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await settle();
    };
    return { ask, begun, end, turns };
  }

  it('one user’s reads run one after the other, and another’s beside them', async () => {
    const { ask, begun, end } = reads();
    for (const name of ['a1', 'a2', 'a3']) void ask('ann', name);
    void ask('bob', 'b1');
    expect(begun).to.deep.equal(['a1', 'b1']);
    await end('a1');
    expect(begun).to.deep.equal(['a1', 'b1', 'a2']);
  });

  it('who waits with one read does not wait for all of another user’s', async () => {
    const { ask, begun, end } = reads({ ...LIMITS, atOnce: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('ann', name);
    void ask('bob', 'b1');
    await end('a1');
    await end('a2');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1']);
    await end('b1');
    await end('a3');
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'a3', 'a4']);
  });

  it('429 for a user with too many, 503 when too many wait in all', async () => {
    const { ask } = reads();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('ann', name);
    expect(await ask('ann', 'a5')).to.deep.equal([429, 'too_many_reads']);
    const users = ['bob', 'cid', 'dan', 'eve', 'fay', 'gus'];
    for (const user of users) void ask(user, `${user} 1`);
    expect(await ask('hal', 'h1')).to.deep.equal([503, 'busy']);
  });

  it('a newcomer gets a place while a user has two: the user who has most gives one', async () => {
    const { ask, begun, end } = reads();
    const refused: string[] = [];
    const wait = (user: string, name: string): void => {
      void ask(user, name).then((answer) => (Array.isArray(answer) ? refused.push(`${name} ${answer[0]}`) : undefined));
    };
    for (const user of ['ann', 'bob']) for (const n of [1, 2, 3, 4]) wait(user, `${user} ${n}`);
    for (const user of ['cid', 'dan', 'eve', 'fay', 'gus']) wait(user, `${user} 1`);
    await settle();
    // Now six users have a place each.
    expect(refused).to.have.members(['ann 4 429', 'bob 4 429', 'ann 3 429', 'bob 3 429', 'gus 1 503']);
    await end('ann 1');
    await end('bob 1');
    expect(begun.slice(2)).to.deep.equal(['ann 2', 'bob 2']);
    for (const name of ['ann 2', 'bob 2', 'cid 1', 'dan 1']) await end(name);
    expect(begun.slice(4)).to.deep.equal(['cid 1', 'dan 1', 'eve 1', 'fay 1']);
  });

  it('goes on after a failure, and forgets users who are done', async () => {
    const { turns, ask, begun, end } = reads({ ...LIMITS, atOnce: 1 });
    const failing = turns.run('ann', async () => {
      await settle();
      throw new RequestError(400, 'x', 'fails');
    });
    const next = ask('ann', 'a1');
    expect(await failing.catch((error: RequestError) => error.code)).to.equal('x');
    await settle();
    expect(begun).to.deep.equal(['a1']);
    await end('a1');
    expect(await next).to.equal('a1');
  });
});
