// The share of a user in the aggregated books that a node asks for (rule 3.5), with time as an input.
import { expect } from 'chai';
import { DeepAskers } from '../../../../src/api/accounts/gateway/deepAskers.ts';

describe('deepAskers: so many coins of a user at a time', () => {
  const asks = (askers: DeepAskers, user: string, coin: string, nowMs = 0, coins = 10) => {
    const told = askers.ask(user, { coin, coins }, nowMs);
    return typeof told === 'string' ? told : `${told.owner} ${told.coins} until ${told.untilMs}`;
  };

  it('four coins; a fifth when one has ended', () => {
    const askers = new DeepAskers();
    for (const coin of ['A', 'B', 'C', 'D']) expect(asks(askers, 'u', coin)).to.equal('u 10 until 60000');
    expect(asks(askers, 'u', 'E')).to.equal('refused');
    expect(asks(askers, 'other', 'E'), 'another user has a share, too').to.equal('other 10 until 60000');
    asks(askers, 'u', 'A', 20_000);
    expect(asks(askers, 'u', 'E', 59_999)).to.equal('refused');
    expect(asks(askers, 'u', 'E', 70_000)).to.equal('u 10 until 130000');
  });

  it('the leader is told again after ten seconds, or when more is wanted', () => {
    const askers = new DeepAskers();
    asks(askers, 'u', 'A');
    expect(asks(askers, 'u', 'A', 9999, 10)).to.equal('known');
    expect(asks(askers, 'u', 'A', 9999, 11)).to.equal('u 11 until 69999');
    expect(asks(askers, 'u', 'A', 19_999, 5)).to.equal('u 11 until 79999');
  });

  it('a coin is asked for in the name of the user with the fewest; who wanted more is forgotten after a minute', () => {
    const askers = new DeepAskers();
    asks(askers, 'many', 'A', 0, 1e9);
    asks(askers, 'many', 'B');
    expect(asks(askers, 'few', 'A', 5000)).to.equal('few 1000000000 until 65000');
    expect(asks(askers, 'few', 'A', 61_000)).to.equal('few 10 until 121000');
  });

  it('four requests of a user wait at a time', () => {
    const askers = new DeepAskers();
    const waiting = [1, 2, 3, 4].map(() => askers.wait('u'));
    expect(askers.wait('u')).to.equal(undefined);
    expect(askers.wait('other')).to.not.equal(undefined);
    waiting[0]?.();
    expect(askers.wait('u')).to.not.equal(undefined);
  });
});
