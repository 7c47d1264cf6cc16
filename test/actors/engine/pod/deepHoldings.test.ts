// Of which coins a pod wants the aggregated book (rule 3.5): those in which an account holds, or has an order open for, more than one side displays.
import { expect } from 'chai';
import { DeepSizes } from '../../../../src/actors/engine/pod/deepHoldings.ts';
import { LiveMarket } from '../../../../src/market/domain/liveMarket.ts';
import { book, given, place, placeGroup, type Scenario, stop } from '../../../support/scenario.ts';

describe('deepHoldings', () => {
  const market = new LiveMarket({ maxAgeMs: 15_000 });
  const universe = ['BTC', 'ETH', 'SOL'].map((name) => ({ name, szDecimals: 2, maxLeverage: 20, marginTableId: 20 }));
  market.apply({ type: 'meta', meta: { universe, marginTables: [] } });
  market.apply({
    type: 'book',
    coin: 'SOL',
    timeMs: 1,
    bids: [
      ['99.9', '4', 1],
      ['99.8', '2', 1],
    ],
    asks: [['100', '9', 1]],
  });
  const wantsOf = (...scenarios: Scenario[]) => {
    const held = new DeepSizes(market);
    for (const { account } of scenarios) held.note(account);
    return [...held.wants(1)].map(([coin, { kind, coins }]) => [kind, coin, coins]);
  };
  const wide = book('SOL', [['99.9', '100']], [['100', '100']]);
  const long = (size: string) => given(wide, place({ size, limitPrice: '100', tif: 'ioc' }));

  it('a long of what the bids display is not wanted, of more it is', () => {
    expect(wantsOf(long('6'))).to.deep.equal([]);
    expect(wantsOf(long('6.01'))).to.deep.equal([['held', 'SOL', 6.01]]);
  });

  it('the largest of all accounts counts, and each side by itself', () => {
    expect(wantsOf(long('7'), long('8'), long('6.5'))).to.deep.equal([['held', 'SOL', 8]]);
    const short = given(wide, place({ side: 'sell', size: '8', limitPrice: '90', tif: 'ioc' }));
    expect(wantsOf(short), 'the asks display 9').to.deep.equal([]);
  });

  it('an order of more is wanted, too', () => {
    expect(wantsOf(given(place({ side: 'buy', size: '10', limitPrice: '90', tif: 'gtc' })))).to.deep.equal([['held', 'SOL', 10]]);
  });

  it('a TWAP whose slices may be larger than is displayed is wanted, whole or what is left of it at most', () => {
    const twap = (size: string, minutes = 30) => ({ type: 'startTwap', asset: 2, side: 'buy', size, minutes }) as const;
    const started = (size: string) => given(wide, { ...twap(size), reduceOnly: false, randomize: false });
    // 61 slices, of which one makes up for three: 183 coins are 9 a slice, as many as are displayed.
    expect(wantsOf(started('183'))).to.deep.equal([]);
    expect(wantsOf(started('244'))).to.deep.equal([['held', 'SOL', 12]]);
  });

  it('a stop without a size is as large as its position', () => {
    const scenario = long('8').given(placeGroup('positionTpsl', stop('95', { size: '0' })));
    expect([...scenario.account.triggers.values()].map(({ size }) => size)).to.have.length(1);
    expect(wantsOf(scenario)).to.deep.equal([['held', 'SOL', 8]]);
  });

  it('the want is in the name of the account that holds the fewest such coins', () => {
    const held = new DeepSizes(market);
    const [few, many] = [long('8').account, long('9').account];
    const other = [...many.positions.values()][0];
    market.apply({ type: 'book', coin: 'ETH', timeMs: 1, bids: [['99', '1', 1]], asks: [['100', '1', 1]] });
    held.note({ ...many, id: 'many', positions: new Map([...many.positions, ...(other ? [[1, other] as const] : [])]) });
    held.note({ ...few, id: 'few' });
    const wants = held.wants(7);
    expect(wants.get('SOL')).to.deep.equal({ kind: 'held', coins: 9, untilMs: 7, owner: 'few' });
    expect(wants.get('ETH')).to.deep.equal({ kind: 'held', coins: 9, untilMs: 7, owner: 'many' });
  });
});
