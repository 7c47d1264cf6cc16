import { expect } from 'chai';
import { FairPlaces } from '../../../../src/api/access/limits/shares.ts';

describe('fairPlaces: who holds little gets a place, whatever others hold', () => {
  let given: string[];
  const places = (bounds: { each: number; all: number }): FairPlaces<string> => {
    given = [];
    return new FairPlaces<string>({ ...bounds, lines: 2, giveUp: (thing) => given.push(thing) });
  };
  /** Takes `many` things for each holder, named after it. */
  const fill = (held: FairPlaces<string>, holders: readonly string[], many: number): void => {
    for (let i = 0; i < many; i++) for (const name of holders) held.take(name, `${name}${i}`);
  };

  it('where all is taken, the holder with the most gives up the thing of its first line that stood there longest', () => {
    const held = places({ each: 9, all: 6 });
    fill(held, ['a', 'b'], 2);
    held.take('a', 'a2');
    held.take('a', 'a3');
    held.move('a0', 'a', 1);
    expect([held.take('c', 'c0'), given]).to.deep.equal([true, ['a1']]);
    expect([held.take('c', 'c1'), given]).to.deep.equal([true, ['a1', 'a2']]);
    expect([held.take('c', 'c2'), given], 'nobody has more than three').to.deep.equal([false, ['a1', 'a2']]);
    expect([held.total, held.of('a'), held.of('b'), held.of('c')]).to.deep.equal([6, 2, 2, 2]);
  });

  it('three holders that use all they can keep out none of a hundred others', () => {
    const held = places({ each: 400, all: 1000 });
    fill(held, ['a', 'b', 'c'], 333);
    for (let i = 0; i < 333; i++) for (const name of ['a', 'b', 'c']) held.move(`${name}${i}`, name, 1);
    for (let i = 0; i < 100; i++) expect(held.take(`quiet${i}`, `quiet${i}`)).to.equal(true);
    expect(given.filter((thing) => thing.startsWith('quiet'))).to.deep.equal([]);
    expect(held.total).to.equal(1000);
  });

  it('a holder past its own bound gives up its own', () => {
    const held = places({ each: 10, all: 100 });
    held.take('a', 'a0', 6);
    held.take('a', 'a0', 3);
    expect([held.of('a'), given]).to.deep.equal([9, []]);
    held.take('a', 'a1', 5);
    expect([held.of('a'), given]).to.deep.equal([5, ['a0']]);
    held.shrink('a1', 4);
    held.take('b', 'a1', 1);
    expect([held.of('a'), held.of('b'), held.total], 'it is the other’s now').to.deep.equal([0, 2, 2]);
    held.give('a1');
    held.give('a1');
    expect(held.total).to.equal(0);
  });
});
