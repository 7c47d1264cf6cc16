import { expect } from 'chai';
import { MinuteCandles } from '../../../src/api/accounts/minuteCandles.ts';
import type { VenueCandle } from '../../../src/market/domain/feed.ts';

const MINUTE_MS = 60_000;
const T0 = Date.UTC(2026, 10, 28, 12);

describe('minuteCandles: the minutes that the feed has had without a gap', () => {
  const minute = (n: number, fields: Partial<VenueCandle> = {}): VenueCandle => {
    const t = T0 + n * MINUTE_MS;
    return {
      ...{ t, T: t + MINUTE_MS - 1, s: 'BTC', i: '1m', o: '1.0', c: '2.0', h: '3.0', l: '0.5', v: '4.0', n: 5 },
      ...fields,
    };
  };
  /** Of the machine, in step with the time of the last minute. */
  let elapsedMs = 0;
  const connected = (...rows: VenueCandle[]): MinuteCandles => {
    const minutes = new MinuteCandles(() => elapsedMs);
    minutes.onStatus(1);
    for (const candle of rows) see(minutes, candle);
    return minutes;
  };
  const see = (minutes: MinuteCandles, candle: VenueCandle): void => {
    elapsedMs = candle.t;
    minutes.onCandle({ coin: 'BTC', candle, timeMs: candle.t });
  };
  const at = (n: number): number => {
    elapsedMs = T0 + n * MINUTE_MS + 30_000;
    return elapsedMs;
  };
  const flat = (n: number): VenueCandle => minute(n, { o: '2.0', h: '2.0', l: '2.0', v: '0.0', n: 0 });

  it('from a minute on up to now; minutes without a trade stand at the last price', () => {
    const minutes = connected(minute(0), minute(1), minute(1, { n: 9 }), minute(4), minute(0, { n: 6 }));
    expect(minutes.from('BTC', T0, at(5))).to.deep.equal([
      minute(0, { n: 6 }),
      minute(1, { n: 9 }),
      flat(2),
      flat(3),
      minute(4),
      flat(5),
    ]);
    expect(minutes.from('BTC', at(7), at(8))).to.deep.equal([flat(7), flat(8)]);
  });

  it('not from before the first minute, of another coin, or across a gap', () => {
    const minutes = connected(minute(1));
    expect(minutes.from('BTC', T0, at(2))).to.equal(undefined);
    expect(minutes.from('ETH', at(1), at(2))).to.equal(undefined);
    minutes.onStatus(1);
    expect(minutes.from('BTC', at(1), at(2))).to.have.length(2);
    minutes.onStatus(null);
    minutes.onStatus(2);
    expect(minutes.from('BTC', at(1), at(2))).to.equal(undefined);
  });

  it('not across a time that was set ahead', () => {
    const minutes = connected(minute(0));
    const later = at(1);
    expect(minutes.from('BTC', T0, later)).to.have.length(2);
    elapsedMs -= MINUTE_MS;
    expect(minutes.from('BTC', T0, later)).to.equal(undefined);
  });

  it('two hours at most', () => {
    const minutes = connected(...Array.from({ length: 200 }, (_, n) => minute(n)));
    expect(minutes.from('BTC', T0 + 79 * MINUTE_MS, at(199))).to.equal(undefined);
    expect(minutes.from('BTC', T0 + 80 * MINUTE_MS, at(199))).to.have.length(120);
    expect(connected(minute(0)).from('BTC', T0, at(121))).to.equal(undefined);
  });
});
