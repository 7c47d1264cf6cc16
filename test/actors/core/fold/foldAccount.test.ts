import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { stateWithNumbersOf, stateWithout } from '../../../../src/actors/core/fold/foldAccount.ts';
import type { AccountEntry } from '../../../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../../../src/actors/core/messages/event.ts';
import { lastGoodState } from '../../../../src/features/rules.ts';
import { book, given, place } from '../../../support/scenario.ts';

describe('entries that are given up', () => {
  const buy = place({ side: 'buy', size: '1', limitPrice: '100', tif: 'ioc' });
  const sell = place({ side: 'sell', size: '1', limitPrice: '99', tif: 'ioc' });
  const scenario = given(book('SOL', [['99', '50']], [['100', '50']]), buy, sell, buy, sell);
  const { entries, account } = scenario;
  const lastBuy = entries.findLastIndex(({ events }) =>
    events.some((event) => event.type === 'orderFilled' && event.side === 'buy'),
  );
  const spoilt = (entry: AccountEntry): AccountEntry => ({
    ...entry,
    events: [{ type: 'fundingSettled', asset: 99, usd: '1' } as unknown as AccountEvent],
  });

  it('the sums of round trips go on from the rows that were shown', () => {
    expect(account.tripSums?.long).to.include({ trips: 2, losses: 2 });
    const journal = entries.map((entry, i) => (i === lastBuy ? spoilt(entry) : entry));
    const good = lastGoodState(() => emptyAccount(account.id), journal);
    expect([good.account.tripSums?.long?.trips, good.givenUp.length]).to.deep.equal([1, entries.length - lastBuy]);
    const after = stateWithout(good);
    expect(after).to.deep.include({ tripSums: account.tripSums, seq: account.seq });
    expect(stateWithNumbersOf(good.account, account).tripSums).to.equal(account.tripSums);
  });
});
