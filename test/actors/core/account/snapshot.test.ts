import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { NEWEST_FORMAT, NewerFormat } from '../../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID, book, given, leverage, place, trade } from '../../../support/scenario.ts';

describe('snapshot: an account as text and back', () => {
  const busy = () =>
    given(leverage(2, 3), leverage(0, 4, 'isolated'))
      .given(place({ asset: 0, size: '0.001', limitPrice: '65001', cloid: '0x000000000000000000000000000000c1' }))
      .given(
        place(
          { size: '7', limitPrice: '100.1' },
          { limitPrice: '90' },
          { side: 'sell', size: '9', limitPrice: '120', reduceOnly: true },
        ),
      )
      .given(trade('SOL', ['buy', '121', '1']), book('SOL', [['99', '2']], [['100.1', '4']]));

  it('round trip gives the same state and the same text', () => {
    const { account } = busy();
    const text = toSnapshot(account, NEWEST_FORMAT);
    expect(fromSnapshot(text)).to.deep.equal(account);
    expect(toSnapshot(fromSnapshot(text), NEWEST_FORMAT)).to.equal(text);
  });

  it('an account before its first entry', () => {
    expect(fromSnapshot(toSnapshot(emptyAccount(ACCOUNT_ID), NEWEST_FORMAT))).to.deep.equal(emptyAccount(ACCOUNT_ID));
  });

  it('equal states give equal text whatever order the maps were filled in', () => {
    const { account } = busy();
    const reversed = {
      ...account,
      leverage: new Map([...account.leverage].reverse()),
      positions: new Map([...account.positions].reverse()),
    };
    expect(toSnapshot(reversed, NEWEST_FORMAT)).to.equal(toSnapshot(account, NEWEST_FORMAT));
  });

  it('a snapshot of a newer generation is refused by name', () => {
    const newer = toSnapshot(busy().account, NEWEST_FORMAT).replace(/"v":\d+\}$/, `"v":${NEWEST_FORMAT + 1}}`);
    expect(() => fromSnapshot(newer)).to.throw(NewerFormat, `A snapshot has format ${NEWEST_FORMAT + 1}`);
  });
});
