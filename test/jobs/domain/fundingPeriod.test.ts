import { expect } from 'chai';
import {
  type CoinHours,
  hoursToSettle,
  readWaits,
  settlementAfter,
  settlementBefore,
  waitingCoins,
  writeWaits,
} from '../../../src/jobs/domain/fundingPeriod.ts';
import { HOUR_MS } from '../../../src/shared/domain/units.ts';

const at = (clock: string): number => Date.parse(`2026-11-20T${clock}:00Z`);
const known = (clock: string) => [at(clock), '0.0000125', '2000'] as const;

describe('fundingPeriod: which settlements there are', () => {
  it('every eight hours at 00, 08, 16 UTC; every hour where it is set so', () => {
    expect(settlementAfter(at('00:00'), 8)).to.equal(at('08:00'));
    expect(settlementAfter(at('07:59'), 8)).to.equal(at('08:00'));
    expect(settlementAfter(at('16:00'), 8)).to.equal(at('16:00') + 8 * HOUR_MS);
    expect(settlementAfter(at('09:00'), 8)).to.equal(at('16:00'));
    expect(settlementAfter(at('09:00'), 1)).to.equal(at('10:00'));
    expect(settlementBefore(at('08:00'), 8)).to.equal(at('08:00'));
    expect(settlementBefore(at('15:59'), 8)).to.equal(at('08:00'));
  });
});

describe('fundingPeriod: the hours of a settlement (rule 6.4)', () => {
  const eth: CoinHours = { coin: 'ETH', sinceMs: at('01:00'), isDelisted: false, hours: [known('02:00'), known('03:00')] };

  it('those after the last settlement up to this one of which both numbers are known, coin by coin', () => {
    const sol: CoinHours = {
      ...{ coin: 'SOL', sinceMs: at('02:00'), isDelisted: false },
      hours: [[at('02:00'), null, '2000'], known('03:00'), [at('04:00'), '0.1', null]],
    };
    const hours = hoursToSettle([eth, sol], { afterMs: at('01:00'), throughMs: at('04:00') });
    expect(hours.map(({ hourMs, coins }) => [hourMs, Object.keys(coins)])).to.deep.equal([
      [at('02:00'), ['ETH']],
      [at('03:00'), ['ETH', 'SOL']],
    ]);
    expect(hoursToSettle([eth], { afterMs: at('02:00'), throughMs: at('03:00') })).to.have.length(1);
  });
});

describe('fundingPeriod: the coins that wait (rule 6.4)', () => {
  const eth: CoinHours = { coin: 'ETH', sinceMs: at('01:00'), isDelisted: false, hours: [known('02:00'), known('03:00')] };

  it('edge 75: an hour without rate or oracle price is named, and nothing stands in for it', () => {
    const hours: CoinHours['hours'] = [[at('02:00'), null, '2000'], known('03:00'), [at('04:00'), '0.1', null]];
    const waiting = waitingCoins(
      [
        { ...eth, hours },
        { ...eth, coin: 'SOL' },
      ],
      at('05:00'),
    );
    expect([...waiting]).to.deep.equal([
      ['ETH', { firstMs: at('02:00'), count: 3 }],
      ['SOL', { firstMs: at('04:00'), count: 2 }],
    ]);
    expect(waitingCoins([eth], at('03:00')).size).to.equal(0);
  });

  it('an older gap counts for ten days, as accounts remember it', () => {
    const through = at('04:00') + 239 * HOUR_MS;
    const last = Array.from({ length: 239 }, (_, i) => [at('05:00') + i * HOUR_MS, '0.1', '1'] as const);
    const gap = { ...eth, hours: [...eth.hours, ...last] };
    expect(waitingCoins([gap], through).get('ETH')).to.deep.equal({ firstMs: at('04:00'), count: 1 });
    expect(waitingCoins([{ ...gap, hours: [...gap.hours, [through + HOUR_MS, '0.1', '1']] }], through + HOUR_MS).size).to.equal(
      0,
    );
  });

  it('a delisted coin has no rates any more, and nobody waits for them', () => {
    const gone: CoinHours = { ...eth, isDelisted: true };
    expect(hoursToSettle([gone], { afterMs: at('01:00'), throughMs: at('08:00') })).to.have.length(2);
    expect(waitingCoins([gone], at('08:00')).size).to.equal(0);
  });

  it('what waits is read as it was written', () => {
    const coins = new Map([['kPEPE', { firstMs: at('04:00'), count: 2 }]]);
    for (const waits of [
      { throughMs: at('08:00'), sinceMs: at('08:01'), isLate: true, coins },
      { throughMs: at('08:00'), sinceMs: at('08:01'), isLate: false, coins: new Map() },
    ]) {
      expect(readWaits(writeWaits(waits))).to.deep.equal(waits);
    }
  });
});
