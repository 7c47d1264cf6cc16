import { expect } from 'chai';
import fc from 'fast-check';
import {
  CHUNK_CANDLES,
  type Chunk,
  candlesOf,
  chunkStarts,
  chunksAfter,
  missingSpans,
  SETTLED_MS,
} from '../../../src/api/domain/candles.ts';
import type { VenueCandle } from '../../../src/market/domain/feed.ts';

const MINUTE_MS = 60_000;
const SPAN_MS = CHUNK_CANDLES * MINUTE_MS;
/** The start of a chunk of minutes. */
const T0 = Math.floor(Date.UTC(2026, 10, 28) / SPAN_MS) * SPAN_MS;

describe('candleChunks: closed candles are asked for once', () => {
  const row = (t: number, lengthMs = MINUTE_MS, n = 1): VenueCandle => {
    const i = lengthMs === MINUTE_MS ? '1m' : '1h';
    return { t, T: t + lengthMs - 1, s: 'BTC', i, o: '1.0', c: '1.0', h: '1.0', l: '1.0', v: '1.0', n };
  };
  const rowsOf = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }): VenueCandle[] =>
    Array.from({ length: (untilMs - fromMs) / MINUTE_MS }, (_, n) => row(fromMs + n * MINUTE_MS));
  const at = (n: number): number => T0 + n * MINUTE_MS;
  const chunk = (from: number, until: number): Chunk => {
    const span = { fromMs: at(from), untilMs: at(until) };
    return { ...span, rows: rowsOf(span) };
  };

  it('what is missing before, behind and between, in as few questions as it takes', () => {
    const missing = (from: number, until: number, ...known: [number, Chunk][]) =>
      missingSpans('1m', { fromMs: at(from), untilMs: at(until) }, new Map(known)).map(({ fromMs, untilMs }) => [
        (fromMs - T0) / MINUTE_MS,
        (untilMs - T0) / MINUTE_MS,
      ]);
    expect(missing(10, 1000)).to.deep.equal([[10, 1000]]);
    expect(missing(10, 20, [T0, chunk(5, 30)])).to.deep.equal([]);
    expect(missing(0, 1000, [T0, chunk(100, 300)])).to.deep.equal([
      [0, 100],
      [300, 1000],
    ]);
    expect(missing(400, 420, [T0, chunk(100, 300)]), 'no hole is left').to.deep.equal([[300, 420]]);
    expect(missing(0, 1440, [at(480), chunk(480, 960)])).to.deep.equal([
      [0, 480],
      [960, 1440],
    ]);
  });

  it('the tail of an answer that changes still is not kept, its candle in progress is', () => {
    const hour = 60 * MINUTE_MS;
    const span = { fromMs: T0, untilMs: T0 + 3 * hour };
    const atMs = T0 + 2 * hour + 30 * MINUTE_MS;
    const rows = [row(T0, hour), row(T0 + hour, hour), row(T0 + 2 * hour, hour, 7)];
    const minute = row(atMs - (atMs % MINUTE_MS), MINUTE_MS, 2);
    const [[startMs, kept] = []] = chunksAfter('1h', { span, rows, atMs, minute }, new Map());
    expect(startMs).to.equal(chunkStarts('1h', span)[0]);
    expect(kept).to.deep.include({ fromMs: T0, untilMs: T0 + 2 * hour, rows: rows.slice(0, 2) });
    expect(kept?.running?.closed).to.include({ t: T0 + 2 * hour, n: 5, v: '0.0' });
    expect(kept?.running?.ended).to.deep.equal([]);
    // A minute later, from the feed alone.
    const minutes = [{ ...minute, n: 3, v: '2.0' }, row(minute.t + MINUTE_MS)];
    const fed = candlesOf({ coin: 'BTC', interval: '1h' }, minutes, kept?.running);
    expect(fed.map(({ t, n }) => [t, n])).to.deep.equal([[T0 + 2 * hour, 9]]);
  });

  it('a candle that has just ended is shown before the one in progress until it is asked again', () => {
    const five = 5 * MINUTE_MS;
    const span = { fromMs: T0, untilMs: T0 + 3 * five };
    const atMs = T0 + 2 * five + 30_000;
    const rows = [row(T0, five), row(T0 + five, five), row(T0 + 2 * five, five)];
    const minute = row(T0 + 2 * five);
    const kept = chunksAfter('5m', { span, rows, atMs, minute }, new Map()).get(T0);
    expect(kept).to.deep.include({ untilMs: T0 + five, rows: rows.slice(0, 1) });
    expect(candlesOf({ coin: 'BTC', interval: '5m' }, [minute], kept?.running).map(({ t, n }) => [t, n])).to.deep.equal([
      [T0 + five, 1],
      [T0 + 2 * five, 1],
    ]);
  });

  it('a candle that has just ended is not kept, and neither is an answer without candles', () => {
    const span = { fromMs: T0, untilMs: at(3) };
    const atMs = at(2) + SETTLED_MS - 1;
    expect(chunksAfter('1m', { span, rows: rowsOf(span), atMs }, new Map()).get(T0)).to.deep.equal(chunk(0, 1));
    expect(chunksAfter('1m', { span, rows: [], atMs: at(1000) }, new Map()).size).to.equal(0);
  });

  it('a coin without trades at times is known as such', () => {
    const span = { fromMs: T0, untilMs: at(10) };
    const after = chunksAfter('1m', { span, rows: [row(at(4))], atMs: at(1000) }, new Map());
    expect(missingSpans('1m', span, after)).to.deep.equal([]);
  });

  it('minutes make candles of any length, each from its start', () => {
    const minutes = rowsOf({ fromMs: at(60), untilMs: at(150) });
    const hours = candlesOf({ coin: 'BTC', interval: '1h' }, minutes);
    expect(hours.map(({ t, n, i }) => [t, n, i])).to.deep.equal([
      [at(60), 60, '1h'],
      [at(120), 30, '1h'],
    ]);
    expect(candlesOf({ coin: 'BTC', interval: '1m' }, minutes)).to.deep.equal(minutes);
  });

  it('whatever is asked in whatever order, what was answered is not asked again, and nothing is missing or wrong', () => {
    const ranges = fc.array(fc.tuple(fc.nat(1500), fc.integer({ min: 1, max: 700 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(ranges, (wanted) => {
        const known = new Map<number, Chunk>();
        const asked = new Set<number>();
        for (const [from, count] of wanted) {
          const span = { fromMs: at(from), untilMs: at(from + count) };
          for (const missing of missingSpans('1m', span, known)) {
            const rows = rowsOf(missing);
            for (const { t } of rows) {
              expect(asked.has(t)).to.equal(false);
              asked.add(t);
            }
            for (const [start, one] of chunksAfter('1m', { span: missing, rows, atMs: at(10_000) }, known)) known.set(start, one);
          }
          const rows = [...known.values()].flatMap((one) => one.rows).filter(({ t }) => t >= span.fromMs && t < span.untilMs);
          expect(rows.sort((a, b) => a.t - b.t)).to.deep.equal(rowsOf(span));
        }
      }),
    );
  });
});
