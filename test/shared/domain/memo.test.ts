import { expect } from 'chai';
import { rememberFor, rememberLatest } from '../../../src/shared/domain/memo.ts';

interface Order {
  readonly size: number;
}

describe('rememberFor: a result is kept with the object that it was computed from', () => {
  let computed = 0;
  const doubled = rememberFor(({ size }: Order) => {
    computed += 1;
    return { size: 2 * size };
  });
  const timesPrice = rememberFor(
    ({ size }: Order, price: number) => {
      computed += 1;
      return { price, usd: size * price };
    },
    (last, price) => last.price === price,
  );
  beforeEach(() => {
    computed = 0;
  });

  it('computes once for an object', () => {
    const order = { size: 3 };
    const first = doubled(order);
    expect(first).to.deep.equal({ size: 6 });
    expect(doubled(order)).to.equal(first);
    expect(computed).to.equal(1);
  });

  it('an equal object and a copy are other objects', () => {
    const order = { size: 3 };
    doubled(order);
    expect(doubled({ ...order, size: 4 })).to.deep.equal({ size: 8 });
    expect(doubled(structuredClone(order))).to.deep.equal({ size: 6 });
    expect(computed).to.equal(3);
  });

  it('another input is computed, and then the one before it again: one result is kept', () => {
    const order = { size: 3 };
    expect([timesPrice(order, 10), timesPrice(order, 10), timesPrice(order, 11)].map(({ usd }) => usd)).to.deep.equal([
      30, 30, 33,
    ]);
    expect(computed).to.equal(2);
    expect(timesPrice(order, 10).usd).to.equal(30);
    expect(computed).to.equal(3);
  });

  it('two functions remember for one object without seeing each other', () => {
    const order = { size: 3 };
    expect(doubled(order)).to.deep.equal({ size: 6 });
    expect(timesPrice(order, 10).usd).to.equal(30);
    expect(doubled(order)).to.deep.equal({ size: 6 });
    expect(computed).to.equal(2);
  });

  it('nothing of it is part of the data', () => {
    const order = { size: 3 };
    doubled(order);
    expect(Reflect.ownKeys(order)).to.deep.equal(['size']);
    expect(JSON.stringify(order)).to.equal('{"size":3}');
    expect(order).to.deep.equal({ size: 3 });
  });

  it('remembers for arrays and for frozen objects', () => {
    const first = rememberFor((sizes: readonly number[]) => {
      computed += 1;
      return sizes[0];
    });
    const sizes = Object.freeze([7, 8]);
    expect([first(sizes), first(sizes)]).to.deep.equal([7, 7]);
    expect(computed).to.equal(1);
  });

  it('a computation that throws leaves nothing behind', () => {
    const checked = rememberFor(({ size }: Order, most: number) => {
      if (size > most) throw new Error('too large');
      return size;
    });
    const order = { size: 3 };
    expect(() => checked(order, 2)).to.throw('too large');
    expect(checked(order, 4)).to.equal(3);
  });
});

describe('rememberLatest: the last value that was asked for', () => {
  it('is computed again only after another one', () => {
    const asked: number[] = [];
    const square = rememberLatest((value: number) => {
      asked.push(value);
      return value * value;
    });
    expect([square(2), square(2), square(3), square(2)]).to.deep.equal([4, 4, 9, 4]);
    expect(asked).to.deep.equal([2, 3, 2]);
  });
});
