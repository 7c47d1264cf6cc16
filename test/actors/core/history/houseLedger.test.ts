import { expect } from 'chai';
import { EMPTY_HOUSE, fromStoredHouse, houseAfter, toStoredHouse } from '../../../../src/actors/core/history/houseLedger.ts';
import { book, givenUsd, leverage, mark, place, type Scenario } from '../../../support/scenario.ts';

const BTC = 0;

function houseOf({ entries }: Scenario) {
  return entries.flatMap(({ events }) => events).reduce(houseAfter, EMPTY_HOUSE);
}

describe('house: the other side of fees and take-overs', () => {
  // 0.5 BTC at 65,001: 32,500.5, fee 14.625225.
  const long = () => givenUsd('1000', leverage(BTC, 40), place({ asset: BTC, size: '0.5', limitPrice: '65001', tif: 'ioc' }));

  it('it gets every fee', () => {
    expect(toStoredHouse(houseOf(long()))).to.deep.equal({
      cashUsd: '14.625225',
      feesUsd: '14.625225',
      lossUsd: '0',
      positions: [],
    });
  });

  it('a gap: it pays what the account owes, holds the position, and the loss is written down', () => {
    const scenario = long()
      .given(book('BTC', [], [['65001', '1']]))
      .when(mark('BTC', '60000'));
    // 1,000 - 32,500.5 - 14.625225 + 30,000 = -1,515.125225.
    expect(scenario.account.cash.toString()).to.equal('0');
    expect(toStoredHouse(houseOf(scenario))).to.deep.equal({
      cashUsd: '-31500.5',
      feesUsd: '14.625225',
      lossUsd: '1515.125225',
      positions: [['BTC', '0.5']],
    });
  });

  it('its stored form reads back', () => {
    const house = houseOf(long().when(mark('BTC', '60000')));
    expect(toStoredHouse(fromStoredHouse(toStoredHouse(house)))).to.deep.equal(toStoredHouse(house));
    expect(fromStoredHouse(undefined)).to.equal(EMPTY_HOUSE);
  });
});
