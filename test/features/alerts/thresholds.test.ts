import { expect } from 'chai';
import type { Position } from '../../../src/actors/core/account/account.ts';
import { foundTrip } from '../../../src/actors/core/margin/position.ts';
import { marginCrossings, marginData, marginNow, trialEndAt } from '../../../src/features/alerts/rules/thresholds.ts';
import { LiveMarket } from '../../../src/market/domain/liveMarket.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';

const NOW_MS = 1_000_000;

/** BTC with 40x, so its maintenance is an 80th of the notional; ETH with 25x: a 50th. */
function market(marks: Readonly<Record<string, string>>, timeMs = NOW_MS): LiveMarket {
  const live = new LiveMarket({ maxAgeMs: 10_000 });
  const universe = [
    { name: 'BTC', szDecimals: 5, maxLeverage: 40 },
    { name: 'ETH', szDecimals: 4, maxLeverage: 25 },
  ];
  live.apply({ type: 'meta', meta: { universe } });
  for (const [coin, markPx] of Object.entries(marks)) {
    const numbers = {
      funding: '0',
      openInterest: '1',
      prevDayPx: markPx,
      dayNtlVlm: '1',
      premium: '0',
      oraclePx: markPx,
      markPx,
    };
    live.apply({ type: 'context', coin, timeMs, context: { ...numbers, midPx: markPx, impactPxs: null } });
  }
  return live;
}

const position = (asset: number, size: string, rawUsd?: string): Position => ({
  asset,
  coin: asset === 0 ? 'BTC' : 'ETH',
  signedSize: new Decimal(size),
  entryNotional: new Decimal(1),
  marginMode: rawUsd === undefined ? 'cross' : 'isolated',
  leverage: 20,
  rawUsd: new Decimal(rawUsd ?? 0),
  funding: { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO },
  trip: foundTrip(new Decimal(size).abs(), new Decimal(1), 1),
});
const account = (cash: string, ...positions: Position[]) => ({
  cash: new Decimal(cash),
  positions: new Map(positions.map((one) => [one.asset, one])),
});

describe('margin ratio: maintenance margin by account value, of the pool that is nearest to its end', () => {
  it('long 1 BTC for 65,001 with 9,970.75 USD left: at 56,000 it is 700 of 969.75', () => {
    const now = marginNow(account('-55030.25', position(0, '1')), market({ BTC: '56000' }), NOW_MS);
    expect(marginData(now, '50')).to.deep.equal({
      percent: '50',
      margin_ratio_percent: '72.18',
      margin_mode: 'cross',
      coin: null,
      maintenance_margin: '700.0',
      account_value: '969.75',
      notional: '56000.0',
    });
  });

  it('an isolated position is a pool of its own: short 10 ETH with 21,000 USD inside, at 2,000: 400 of 1,000', () => {
    const held = account('1000', position(0, '0.01'), position(1, '-10', '21000'));
    const now = marginNow(held, market({ BTC: '50000', ETH: '2000' }), NOW_MS);
    expect(marginData(now, '30')).to.include({ margin_ratio_percent: '40', margin_mode: 'isolated', coin: 'ETH' });
    // BTC alone: 500 / 80 = 6.25 of 1,500.
    const { highest } = marginNow(account('1000', position(0, '0.01')), market({ BTC: '50000' }), NOW_MS);
    expect([highest.maintenance.toFixed(), highest.equity.toFixed()]).to.deep.equal(['6.25', '1500']);
  });

  it('equity of nothing is beyond every threshold, without a ratio', () => {
    const now = marginNow(account('-60000', position(0, '1')), market({ BTC: '60000' }), NOW_MS);
    expect(marginCrossings([], now, ['50', '100']).crossed).to.deep.equal(['50', '100']);
    expect(marginData(now, '50')).to.include({ margin_ratio_percent: null, account_value: '0.0' });
  });

  it('each threshold is told once, and again after the ratio was below nine tenths of it', () => {
    // 1,000 of maintenance at a mark of 80,000: the cash alone makes the ratio.
    const at = (equity: number) =>
      marginNow(account(String(equity - 80_000), position(0, '1')), market({ BTC: '80000' }), NOW_MS);
    let told: readonly string[] = [];
    const crossedAt = [10_000, 2000.01, 2000, 1250, 1300, 1250, 1388.9, 1250, 2222.2, 2000, 2222.3, 2000].map((equity) => {
      const step = marginCrossings(told, at(equity), ['50', '80']);
      told = step.told;
      return step.crossed.join();
    });
    expect(crossedAt).to.deep.equal(['', '', '50', '80', '', '', '', '80', '', '', '', '50']);
  });

  it('without a position all is told anew; with a mark that is too old nothing is known to have come back', () => {
    const held = account('-55030.25', position(0, '1'));
    const stale = marginNow(held, market({ BTC: '65000' }, NOW_MS - 10_001), NOW_MS);
    expect(marginCrossings(['50'], stale, ['50'])).to.deep.equal({ told: ['50'], crossed: [] });
    expect(marginCrossings(['50'], marginNow(account('10'), market({}), NOW_MS), ['50']).told).to.deep.equal([]);
    expect(marginCrossings([], marginNow(held, market({}), NOW_MS), ['1']).crossed).to.deep.equal([]);
  });
});

const DAY_MS = 86_400_000;

describe('end of a trial: told a day before it and when it is over', () => {
  const trial = { trialExpiresAtMs: 10 * DAY_MS, subscriptionExpiresAtMs: null, graceMs: 3 * DAY_MS };
  const paid = { ...trial, subscriptionExpiresAtMs: 20 * DAY_MS };
  const cases: { name: string; of: typeof trial | typeof paid; atMs: number; want: string | undefined }[] = [
    { name: 'nothing a moment before the last day', of: trial, atMs: 9 * DAY_MS - 1, want: undefined },
    { name: 'a day before', of: trial, atMs: 9 * DAY_MS, want: 'trial day_before 10' },
    { name: 'until its last moment', of: trial, atMs: 10 * DAY_MS - 1, want: 'trial day_before 10' },
    { name: 'then it is over', of: trial, atMs: 10 * DAY_MS, want: 'trial over 10' },
    { name: 'who has paid keeps the days of grace', of: paid, atMs: 22 * DAY_MS - 1, want: undefined },
    { name: 'and is told a day before they end', of: paid, atMs: 22 * DAY_MS, want: 'subscription day_before 23' },
  ];
  for (const { name, of, atMs, want } of cases)
    it(name, () => {
      const end = trialEndAt(of, atMs);
      expect(end && `${end.of} ${end.stage} ${end.endMs / DAY_MS}`).to.equal(want);
    });
});
