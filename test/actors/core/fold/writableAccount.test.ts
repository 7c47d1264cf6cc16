import { expect } from 'chai';
import { type Account, emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { evolve } from '../../../../src/actors/core/fold/evolve.ts';
import { WritableAccount } from '../../../../src/actors/core/fold/writableAccount.ts';
import { PIPELINE } from '../../../../src/features/rules.ts';

type Levels = readonly (readonly [price: string, consumed: string])[];

/** One coin from whose asks 1 was taken at 100. */
function withTaken(): Account {
  const ask = new Map([['100', { consumed: '1', lastFillFeedTimeMs: 0 }]]);
  return { ...emptyAccount('a'), consumption: new Map([[0, { bid: new Map(), ask }]]) };
}

function take(writable: WritableAccount, bookSide: 'bid' | 'ask', levels: Levels): void {
  const atTime = levels.map(([price, consumed]) => [price, consumed, 0] as const);
  evolve(writable, { type: 'consumptionSet', asset: 0, bookSide, levels: atTime }, 0, PIPELINE.evolve);
}

const takenFrom = ({ consumption }: Pick<Account, 'consumption'>, bookSide: 'bid' | 'ask') =>
  [...(consumption.get(0)?.[bookSide] ?? [])].map(([price, { consumed }]) => [price, consumed]);

describe('writableAccount: a decision writes to maps of its own', () => {
  it('what was taken from a book stays as it was for the account that is decided about', () => {
    const account = withTaken();
    const writable = new WritableAccount({ ...account }, 'overlay');
    take(writable, 'ask', [['100', '2']]);
    take(writable, 'ask', [['101', '3']]);
    take(writable, 'bid', [['99', '4']]);
    expect([takenFrom(account, 'ask'), takenFrom(account, 'bid')]).to.deep.equal([[['100', '1']], []]);
    expect(takenFrom(writable.account, 'ask')).to.deep.equal([
      ['100', '2'],
      ['101', '3'],
    ]);
    expect(takenFrom(writable.account, 'bid')).to.deep.equal([['99', '4']]);
  });

  it('a decision on top of a decision leaves that one as it is, too', () => {
    const first = new WritableAccount({ ...withTaken() }, 'overlay');
    take(first, 'ask', [['100', '2']]);
    const second = new WritableAccount({ ...first.account }, 'overlay');
    take(second, 'ask', [['100', '0']]);
    expect(takenFrom(first.account, 'ask')).to.deep.equal([['100', '2']]);
    expect(second.account.consumption.size, 'a coin of which nothing is taken').to.equal(0);
  });

  it('the fold of an entry writes to the account itself', () => {
    const account = withTaken();
    take(new WritableAccount(account, 'inPlace'), 'ask', [['100', '2']]);
    expect(takenFrom(account, 'ask')).to.deep.equal([['100', '2']]);
  });

  it('what is known of an address’s orders stays as it was for the account that is decided about; a fold writes to it', () => {
    const seenIn = ({ following }: Pick<Account, 'following'>) => [...(following?.orders.keys() ?? [])];
    const account: Account = {
      ...emptyAccount('a'),
      following: { id: 'mir_1', term: 1, sinceMs: 0, cursorMs: 0, floorMs: 0, heard: [], orders: new Map([[1, { taken: '0' }]]) },
    };
    const see = (writable: WritableAccount, sourceOid: number): void =>
      evolve(writable, { type: 'sourceOrderSeen', sourceOid, before: '0' }, 0, PIPELINE.evolve);
    const first = new WritableAccount({ ...account }, 'overlay');
    see(first, 2);
    const { following } = first.account;
    see(first, 3);
    expect(first.account.following, 'one map for all that is decided').to.equal(following);
    const second = new WritableAccount({ ...first.account }, 'overlay');
    see(second, 4);
    expect([seenIn(account), seenIn(first.account), seenIn(second.account)]).to.deep.equal([[1], [1, 2, 3], [1, 2, 3, 4]]);
    see(new WritableAccount(account, 'inPlace'), 5);
    expect(seenIn(account)).to.deep.equal([1, 5]);
  });
});
