// A recording by itself: its data about the time before it was recorded, moved to the time of playing.
import { expect } from 'chai';
import { Playback, type TimeShift } from '../../../src/market/recording/playback.ts';
import type { RecordedRequest } from '../../../src/market/recording/record.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Recorded at 10:50:20, played on another day at 20:10:40. */
const RECORDED = Date.UTC(2026, 0, 5, 10, 50, 20);
const PLAYED = Date.UTC(2026, 0, 9, 20, 10, 40);

interface Candle {
  readonly t: number;
  readonly o: string;
  readonly c: string;
  readonly h: string;
  readonly l: string;
  readonly v: string;
  readonly n: number;
}

class Played {
  nowMs = PLAYED;
  readonly shift: TimeShift = { recordedMs: RECORDED, playedMs: PLAYED, speed: 1 };
  readonly playback = new Playback({ now: () => this.nowMs });

  constructor(past: readonly { request: RecordedRequest; answer: unknown }[] = []) {
    const meta = { universe: [{ name: 'BTC', szDecimals: 2, maxLeverage: 10 }] };
    this.playback.onAnswer({ atMs: RECORDED, request: { type: 'metaAndAssetCtxs' }, answer: [meta, []] });
    for (const line of past) this.playback.onAnswer({ atMs: RECORDED, ...line });
    this.playback.begin(this.shift);
  }

  trade(recordedMs: number, px: string, tid = recordedMs): void {
    this.nowMs = Math.max(this.nowMs, PLAYED + recordedMs - RECORDED);
    const data = [{ coin: 'BTC', side: 'B', px, sz: '1.5', time: recordedMs, tid }];
    this.playback.onFrame({ channel: 'trades', data }, { ...this.shift, round: 1 });
  }

  context(recordedMs: number, funding: string): void {
    this.nowMs = PLAYED + recordedMs - RECORDED;
    const data = { coin: 'BTC', ctx: { funding, premium: '0.0001' } };
    this.playback.onFrame({ channel: 'activeAssetCtx', data }, { ...this.shift, round: 1 });
  }

  candles(interval: string, startTime = 0): Promise<Candle[]> {
    return this.playback.info({ type: 'candleSnapshot', req: { coin: 'BTC', interval, startTime } }) as Promise<Candle[]>;
  }

  fundings(startTime = 0): Promise<{ time: number; fundingRate: string }[]> {
    return this.playback.info({ type: 'fundingHistory', coin: 'BTC', startTime }) as Promise<
      { time: number; fundingRate: string }[]
    >;
  }
}

/** A recorded candle whose price and number of trades are `n`. */
const row = (t: number, n: number) => {
  const price = `${n}.0`;
  return { t, T: t, s: 'BTC', i: '', o: price, c: price, h: price, l: price, v: '1.0', n };
};
const starts = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, i) => from + i * step);
const asked = (interval: string): RecordedRequest => ({ type: 'candleSnapshot', req: { coin: 'BTC', interval } });

/** Three hours of minutes from 7:50, 100 trades and more each; three days of hours, below 100. */
const minuteStart = Date.UTC(2026, 0, 5, 10, 50);
const minutes = starts(minuteStart - 3 * HOUR, minuteStart, MINUTE).map((t, i) => row(t, 100 + i));
const hourStart = Date.UTC(2026, 0, 5, 10);
const hours = starts(hourStart - 72 * HOUR, hourStart, HOUR).map((t, i) => row(t, 1 + i));
const past = [
  { request: asked('1h'), answer: hours },
  { request: asked('1m'), answer: minutes },
];

describe('playback: candles of the time before', () => {
  it('end with the minute in progress, and trades that are played are added to it', async () => {
    const played = new Played(past);
    const before = await played.candles('1m');
    expect(before.map(({ n }) => n)).to.deep.equal(minutes.map(({ n }) => n));
    expect(before.at(-1)?.t).to.equal(Date.UTC(2026, 0, 9, 20, 10));
    played.trade(RECORDED + 5000, '500.0');
    const [last] = (await played.candles('1m')).slice(-1);
    expect(last).to.include({ o: '280.0', h: '500.0', c: '500.0', v: '2.5', n: 281 });
    played.trade(RECORDED + 3 * MINUTE, '400.0');
    const after = await played.candles('1m', before.at(-1)?.t);
    expect(after.map(({ o, n }) => [o, n])).to.deep.equal([
      ['280.0', 281],
      ['500.0', 0],
      ['500.0', 0],
      ['400.0', 1],
    ]);
  });

  it('do not count what traded before they were recorded', async () => {
    const played = new Played(past);
    played.trade(RECORDED - 3000, '900.0');
    expect((await played.candles('1m')).at(-1)?.n).to.equal(280);
    expect(await played.playback.info({ type: 'recentTrades', coin: 'BTC' })).to.have.length(1);
  });

  it('of hours are those of the minutes as far as these go, and recorded hours before', async () => {
    const played = new Played(past);
    const shown = await played.candles('1h');
    expect(shown.at(-1)?.t).to.equal(Date.UTC(2026, 0, 9, 20));
    for (const [i, { t }] of shown.entries()) expect(t - (shown[0]?.t ?? 0)).to.equal(i * HOUR);
    const ofMinutes = await played.candles('1m');
    const wholeFrom = Date.UTC(2026, 0, 9, 18);
    for (const hour of shown.filter(({ t }) => t >= wholeFrom)) {
      const within = ofMinutes.filter(({ t }) => t >= hour.t && t < hour.t + HOUR);
      expect(hour.n).to.equal(within.reduce((sum, { n }) => sum + n, 0));
    }
    const older = shown.filter(({ t }) => t < wholeFrom).map(({ n }) => n);
    expect(older.at(-1)).to.be.below(100);
    expect(older).to.deep.equal(starts(1, older.length, 1));
    const [day] = await played.candles('1d', Date.UTC(2026, 0, 8));
    const ofDay = shown.filter(({ t }) => t >= Date.UTC(2026, 0, 8) && t < Date.UTC(2026, 0, 9));
    expect(day?.n).to.equal(ofDay.reduce((sum, { n }) => sum + n, 0));
  });

  it('are the trades played alone where none were recorded', async () => {
    const played = new Played();
    expect(await played.candles('1m')).to.deep.equal([]);
    played.trade(RECORDED, '100.0');
    played.trade(RECORDED + MINUTE, '101.0');
    expect((await played.candles('1m')).map(({ c }) => c)).to.deep.equal(['100.0', '101.0']);
    expect((await played.candles('1h')).map(({ n }) => n)).to.deep.equal([2]);
  });

  it('do not count the trades with which a further round begins', async () => {
    const played = new Played();
    played.trade(RECORDED - 1000, '100.0', 1);
    const playedMs = PLAYED + MINUTE;
    played.nowMs = playedMs;
    played.playback.begin({ ...played.shift, playedMs });
    played.playback.onFrame(
      { channel: 'trades', data: [{ coin: 'BTC', side: 'B', px: '100.0', sz: '1.5', time: RECORDED - 1000, tid: 1 }] },
      { ...played.shift, playedMs, round: 2 },
    );
    expect((await played.candles('1m')).reduce((sum, { n }) => sum + n, 0)).to.equal(1);
  });
});

describe('playback: funding rates', () => {
  const rates = starts(hourStart - 23 * HOUR, hourStart, HOUR).map((t, i) => ({
    coin: 'BTC',
    fundingRate: `0.${i + 1}`,
    premium: '0.0',
    time: t + 48,
  }));
  const recorded = [{ request: { type: 'fundingHistory', coin: 'BTC', startTime: 0 }, answer: rates }];

  it('of the time before end with the hour in progress', async () => {
    const rows = await new Played(recorded).fundings();
    expect(rows.map(({ fundingRate }) => fundingRate)).to.deep.equal(rates.map(({ fundingRate }) => fundingRate));
    expect(rows.at(-1)?.time).to.equal(Date.UTC(2026, 0, 9, 20) + 48);
    expect(await new Played(recorded).fundings(Date.UTC(2026, 0, 9, 19))).to.have.length(2);
  });

  it('that are predicted are paid at the next hour', async () => {
    const answer = [['BTC', [['HlPerp', { fundingRate: '0.1', nextFundingTime: Date.UTC(2026, 0, 5, 11) }]]]];
    const { playback } = new Played([{ request: { type: 'predictedFundings' }, answer }]);
    const next = { fundingRate: '0.1', nextFundingTime: Date.UTC(2026, 0, 9, 21) };
    expect(await playback.info({ type: 'predictedFundings' })).to.deep.equal([['BTC', [['HlPerp', next]]]]);
  });

  it('go on at every hour with what was said before it', async () => {
    const played = new Played(recorded);
    played.context(RECORDED, '0.0000125');
    played.context(RECORDED + 45 * MINUTE, '0.0000130');
    expect(await played.fundings()).to.have.length(24);
    played.context(RECORDED + 55 * MINUTE, '0.0000140');
    expect((await played.fundings()).at(-1)).to.deep.equal({
      coin: 'BTC',
      fundingRate: '0.0000130',
      premium: '0.0001',
      time: Date.UTC(2026, 0, 9, 21),
    });
  });
});
