import { expect } from 'chai';
import { RepeatedQuestions } from '../../../../src/api/accounts/views/followedViews.ts';

describe('RepeatedQuestions: a view is fetched only where it pays', () => {
  let repeated: RepeatedQuestions;
  beforeEach(() => {
    repeated = new RepeatedQuestions();
  });

  /** So many plain answers of one entry. */
  const ask = (seq: number, times: number): boolean => {
    for (let i = 0; i < times; i++) repeated.onAnswer('a', seq);
    return repeated.isRepeated('a');
  };

  it('two answers in a row of one entry', () => {
    expect([ask(1, 1), ask(2, 1), ask(3, 1), ask(3, 1)]).to.deep.equal([false, false, false, true]);
  });

  it('a command between the questions', () => {
    ask(1, 2);
    repeated.onCommand('a');
    expect(repeated.isRepeated('a')).to.equal(false);
  });

  it('a view that did not pay makes the next one wait for twice as many answers, up to sixteen', () => {
    for (const needed of [4, 8, 16, 16]) {
      repeated.onDropped('a', { hits: 1, folded: 0 });
      expect([ask(needed, needed - 1), ask(needed, 1)]).to.deep.equal([false, true]);
    }
  });

  it('a view that paid is followed by another one at once', () => {
    repeated.onDropped('a', { hits: 0, folded: 0 });
    repeated.onDropped('a', { hits: 2, folded: 0 });
    expect(repeated.isRepeated('a')).to.equal(true);
  });

  it('one that has followed many entries pays by more answers', () => {
    repeated.onDropped('a', { hits: 7, folded: 32 });
    expect(repeated.isRepeated('a')).to.equal(false);
    repeated.onDropped('a', { hits: 8, folded: 32 });
    expect(repeated.isRepeated('a')).to.equal(true);
  });

  it('an account that is not given away is not asked for before its next entry', () => {
    repeated.onRefused('a', 7);
    expect([ask(7, 100), ask(8, 2)]).to.deep.equal([false, true]);
  });

  it('the accounts that changed last are remembered', () => {
    ask(1, 2);
    for (let n = 0; n < 20_000; n++) repeated.onAnswer(`other ${n}`, 1);
    expect(repeated.isRepeated('a')).to.equal(false);
  });
});
