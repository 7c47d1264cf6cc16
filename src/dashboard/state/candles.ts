// The candles of a chart: begun by REST, continued by the stream, read again from the last one after a break.
import { effect, signal } from '@preact/signals';
import { ApiError, serverNow } from '../api/answer.ts';
import { post } from '../api/http.ts';
import { type Candle, INTERVALS, type Interval, mergeCandles, readCandle, type WireCandle } from '../domain/market/candles.ts';
import { averageTrueRange } from '../domain/market/liquidationDistance.ts';
import { DAY_MS, HOUR_MS } from '../domain/units.ts';
import { exchangePath } from './chosenAccount.ts';
import { atMostEvery, whileShown } from './pace.ts';
import { shownTogether, stream } from './stream.ts';

/** At the first question, and that are kept. */
const FIRST_CANDLES = 400;
const CANDLES_MAX = 1_000;
/** A drawing of the chart costs more than all else that a second brings. */
const DRAWN_EVERY_MS = 1_000;
/** The newest are read again this often: a channel that the server could not open sends none. */
const READ_EVERY_MS = 120_000;
const READ_AGAIN_MS = 5_000;

interface Followed {
  readonly coin: string;
  readonly interval: Interval;
  readonly onChange: (candles: readonly Candle[]) => void;
  readonly onError: (error: Error | undefined) => void;
}

/** Reads candles of a coin. @throws {ApiError} */
async function readCandles(coin: string, interval: Interval, startTime: number): Promise<readonly Candle[]> {
  const question = { type: 'candleSnapshot', req: { coin, interval, startTime } };
  return (await post<readonly WireCandle[]>(exchangePath('info'), question)).body.map(readCandle);
}

/** Follows the candles of a coin. @returns ends it */
export function followCandles({ coin, interval, onChange, onError }: Followed): () => void {
  let rows: readonly Candle[] = [];
  let isOver = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const showing = shownTogether<readonly Candle[]>(onChange);
  const drawing = atMostEvery<readonly Candle[]>(DRAWN_EVERY_MS, (newest) => showing.give(newest));
  const add = (more: readonly Candle[]): void => {
    if (isOver) return;
    rows = mergeCandles(rows, more, CANDLES_MAX);
    drawing.give(rows);
  };
  const read = (): void => {
    const startTime = rows.at(-1)?.timeMs ?? serverNow() - FIRST_CANDLES * INTERVALS[interval];
    readCandles(coin, interval, startTime).then(
      (more) => {
        onError(undefined);
        add(more);
      },
      (error: Error) => {
        if (isOver) return;
        onError(error);
        // The last candles still stand: with some there the next minute is soon enough.
        if (rows.length === 0 && !document.hidden) retry = setTimeout(read, READ_AGAIN_MS);
      },
    );
  };
  const end = whileShown(() => {
    read();
    let isFirst = true;
    const endReading = effect(() => {
      const isOpen = stream.connection.value === 'open';
      if (isOpen && !isFirst) read();
      if (isOpen || stream.connection.peek() === 'waiting') isFirst = false;
    });
    const endChannel = stream.subscribe({
      subscription: { type: 'candle', coin, interval },
      isMine: ({ data }) => data.s === coin && data.i === interval,
      // Alone it would be the whole chart until the others are read.
      onMessage: ({ data }) => {
        if (rows.length > 0) add([readCandle(data as WireCandle)]);
      },
    });
    const timer = setInterval(read, READ_EVERY_MS);
    return () => {
      clearTimeout(retry);
      clearInterval(timer);
      endReading();
      endChannel();
    };
  });
  return () => {
    isOver = true;
    drawing.end();
    showing.end();
    end();
  };
}

/** ATR(14) wants 15 whole days; one more is in progress. */
const DAYS_MS = 16 * DAY_MS;
const APART_MS = 12_000;

/** ATR of the day by coin, USD per coin. */
export const dayRanges = signal<Readonly<Record<string, number>>>({});
const askedMs = new Map<string, number>();

/**
 * Asks for the day ranges that are not known: one question for a coin of a position, kept for an hour. After the first few the
 * questions come one after another, so that an account with many positions does not use up its requests.
 * @param coins the most important first
 * @param atOnce questions that do not wait
 * @returns ends it
 */
export function wantDayRanges(coins: readonly string[], atOnce: number): () => void {
  const missing = coins.filter((coin) => serverNow() - (askedMs.get(coin) ?? 0) > HOUR_MS);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askFrom = (index: number): void => {
    const coin = missing[index];
    if (coin === undefined) return;
    void askOne(coin);
    timer = setTimeout(() => askFrom(index + 1), index + 1 < atOnce ? 0 : APART_MS);
  };
  askFrom(0);
  return () => clearTimeout(timer);
}

async function askOne(coin: string): Promise<void> {
  askedMs.set(coin, serverNow());
  try {
    const range = averageTrueRange(await readCandles(coin, '1d', serverNow() - DAYS_MS), serverNow());
    if (range !== undefined) dayRanges.value = { ...dayRanges.value, [coin]: range };
  } catch (error) {
    // The distance is shown without it, and it is asked for the next time.
    askedMs.delete(coin);
    // A right to trade that has ended is said by the shell.
    if (!(error instanceof ApiError && error.status === 403)) console.warn(error);
  }
}
