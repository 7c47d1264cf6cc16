import { expect } from 'chai';
import { type CoinHours, hoursToSettle, settlementAfter } from '../../../src/jobs/domain/fundingPeriod.ts';
import { HOUR_MS } from '../../../src/market/domain/fundingHour.ts';

const at = (clock: string): number => Date.parse(`2026-11-20T${clock}:00Z`);
const known = (clock: string) => [at(clock), '0.0000125', '2000'] as const;

describe('fundingPeriod: which settlements there are', () => {
  it('every eight hours at 00, 08, 16 UTC; every hour where it is set so', () => {
    expect(settlementAfter(at('00:00'), 8)).to.equal(at('08:00'));
    expect(settlementAfter(at('07:59'), 8)).to.equal(at('08:00'));
    expect(settlementAfter(at('16:00'), 8)).to.equal(at('16:00') + 8 * HOUR_MS);
    expect(settlementAfter(at('09:00'), 8)).to.equal(at('16:00'));
    expect(settlementAfter(at('09:00'), 1)).to.equal(at('10:00'));
  });
});

describe('fundingPeriod: the hours of a settlement (rule 6.4)', () => {
  const eth: CoinHours = { coin: 'ETH', sinceMs: at('01:00'), isDelisted: false, hours: [known('02:00'), known('03:00')] };

  it('those after the last settlement up to this one, coin by coin', () => {
    const sol: CoinHours = { coin: 'SOL', sinceMs: at('02:00'), isDelisted: false, hours: [known('03:00')] };
    const { hours, missing } = hoursToSettle([eth, sol], { afterMs: at('00:00'), throughMs: at('03:00') });
    expect(missing).to.deep.equal([]);
    expect(hours.map(({ hourMs, coins }) => [hourMs, Object.keys(coins)])).to.deep.equal([
      [at('02:00'), ['ETH']],
      [at('03:00'), ['ETH', 'SOL']],
    ]);
  });

  it('edge 75: an hour without rate or oracle price is named, and nothing stands in for it', () => {
    const gaps: CoinHours = {
      ...eth,
      hours: [
        [at('02:00'), null, '2000'],
        [at('04:00'), '0.1', null],
      ],
    };
    const { missing } = hoursToSettle([gaps], { afterMs: at('01:00'), throughMs: at('04:00') });
    expect(missing.map(({ hourMs }) => hourMs)).to.deep.equal([at('02:00'), at('03:00'), at('04:00')]);
  });

  it('a delisted coin has no rates any more, and nobody waits for them', () => {
    const gone: CoinHours = { ...eth, isDelisted: true };
    const { hours, missing } = hoursToSettle([gone], { afterMs: at('01:00'), throughMs: at('08:00') });
    expect([hours.length, missing.length]).to.deep.equal([2, 0]);
  });
});
