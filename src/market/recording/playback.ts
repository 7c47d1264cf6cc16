// A recording that is being played, as an exchange: the state that the frames played so far have left, with all times
// moved to now. It answers what market data needs; candles are added up from the trades played.
import { aggregateLevels } from '../domain/aggregateBook.ts';
import type { VenueMeta } from '../domain/asset.ts';
import type { FeedLevel, VenueCandle } from '../domain/feed.ts';
import { candleEnd, candleStarts, INTERVALS, type Interval, MINUTE_MS } from '../venue/candleInterval.ts';
import { addTrade, type CandleSum, emptySum, join, toWireCandle } from '../venue/candleSum.ts';
import type { Exchange, Subscription } from '../venue/exchange.ts';
import { type Body, requireRange, requireText, toAggregation, UnreadableRequest } from '../venue/request.ts';
import { toWireLevel } from '../venue/wire.ts';
import type { RecordedFrame, RecordedLine } from './record.ts';

interface WireLevel {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

interface WireBook {
  readonly coin: string;
  readonly time: number;
  readonly levels: readonly [readonly WireLevel[], readonly WireLevel[]];
}

interface WireTrade {
  readonly px: string;
  readonly sz: string;
  readonly time: number;
  readonly tid: number;
}

/** The newest frame data of one coin; `trades` newest first. */
interface PlayedCoin {
  l2Book?: WireBook;
  bbo?: unknown;
  activeAssetCtx?: { readonly ctx: unknown };
  trades: WireTrade[];
  /** Sums of minutes in which something traded, oldest first. */
  readonly minutes: Map<number, CandleSum>;
}

const RECENT_TRADES = 30;
const RECENT_TRADES_REST = 10;
const CANDLES_MAX = 5000;
/** Trade ids stay below the venue's bound. */
const TID_BOUND = 2 ** 50;

/** Moves recorded times to the time of playing. */
export interface TimeShift {
  readonly recordedMs: number;
  readonly playedMs: number;
  readonly speed: number;
}

export class Playback implements Exchange {
  readonly #now: () => number;
  readonly #answers = new Map<string, unknown>();
  readonly #coins = new Map<string, PlayedCoin>();
  #mids: Record<string, string> = {};

  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** Takes a recorded answer. */
  onAnswer(line: Extract<RecordedLine, { request: unknown }>): void {
    this.#answers.set(line.request.type, line.answer);
    if (line.request.type === 'allMids') this.#mids = { ...(line.answer as Record<string, string>) };
  }

  /** Takes a recorded frame and gives it as it is to be sent: with times of now and, per round, trade ids of its own. */
  onFrame(
    frame: RecordedFrame,
    shift: TimeShift & { readonly round: number },
  ): { coin: string | undefined; frame: RecordedFrame } {
    const { channel } = frame;
    if (channel === 'allMids') {
      Object.assign(this.#mids, (frame.data as { mids: Record<string, string> }).mids);
      return { coin: undefined, frame };
    }
    const data = shifted(frame.data, shift);
    const coin = coinOf(data);
    if (coin === undefined) return { coin: '', frame: { channel, data } };
    const state = this.#coin(coin);
    if (channel === 'trades') this.#onTrades(coin, state, data as WireTrade[]);
    else Object.assign(state, { [channel]: data });
    return { coin, frame: { channel, data } };
  }

  hasCoin(coin: string): boolean {
    return this.#meta().universe.some((entry) => entry.name === coin);
  }

  async info(body: unknown): Promise<unknown> {
    if (typeof body !== 'object' || body === null) throw new UnreadableRequest();
    const request = body as Body;
    switch (request.type) {
      case 'meta':
        return this.#meta();
      case 'allPerpMetas':
        return [this.#meta()];
      case 'metaAndAssetCtxs':
        return [this.#meta(), this.#contexts()];
      case 'allMids':
        return this.#mids;
      case 'l2Book':
        return this.#book(requireText(request, 'coin'), request);
      case 'recentTrades':
        return this.#coins.get(requireText(request, 'coin'))?.trades.slice(0, RECENT_TRADES_REST) ?? [];
      case 'candleSnapshot':
        return this.#candles(request.req);
      case 'fundingHistory':
        return [];
      case 'exchangeStatus':
        return { time: this.#now(), specialStatuses: null };
      case 'marginTable':
        return this.#meta().marginTables?.find(([id]) => id === request.id)?.[1] ?? marginTable(request.id);
      default: {
        const answer = this.#answers.get(String(request.type));
        if (answer === undefined) throw new UnreadableRequest();
        return answer;
      }
    }
  }

  snapshot(subscription: Subscription): unknown {
    if (subscription.type === 'allMids') return { mids: this.#mids };
    const coin = String(subscription.coin);
    if (subscription.type === 'l2Book') return this.#book(coin, subscription) ?? undefined;
    if (subscription.type === 'candle') {
      const nowMs = this.#now();
      return this.#candles({ coin, interval: subscription.interval, startTime: nowMs }).at(-1);
    }
    const state = this.#coins.get(coin);
    return subscription.type === 'trades' ? (state?.trades ?? []) : state?.[subscription.type as 'bbo' | 'activeAssetCtx'];
  }

  #meta(): VenueMeta {
    return (this.#answers.get('metaAndAssetCtxs') as [VenueMeta] | undefined)?.[0] ?? { universe: [] };
  }

  /** The recorded contexts, replaced by what was pushed since. */
  #contexts(): unknown[] {
    const recorded = (this.#answers.get('metaAndAssetCtxs') as [VenueMeta, unknown[]] | undefined)?.[1] ?? [];
    return this.#meta().universe.map(({ name }, index) => this.#coins.get(name)?.activeAssetCtx?.ctx ?? recorded[index]);
  }

  #book(coin: string, request: Body): unknown {
    const aggregation = toAggregation(request);
    const book = this.#coins.get(coin)?.l2Book;
    if (book === undefined) return null;
    if (aggregation === undefined) return book;
    const [bids, asks] = book.levels.map((levels) => levels.map(({ px, sz, n }): FeedLevel => [px, sz, n]));
    const levels = [
      aggregateLevels(bids ?? [], 'bid', aggregation).map(toWireLevel),
      aggregateLevels(asks ?? [], 'ask', aggregation).map(toWireLevel),
    ];
    return { ...book, levels };
  }

  #candles(body: unknown): VenueCandle[] {
    if (typeof body !== 'object' || body === null) throw new UnreadableRequest();
    const request = body as Body;
    const interval = requireText(request, 'interval') as Interval;
    if (!INTERVALS.includes(interval)) throw new UnreadableRequest();
    const coin = requireText(request, 'coin');
    const { startMs, endMs } = requireRange(request, this.#now());
    const minutes = [...(this.#coins.get(coin)?.minutes ?? [])];
    const [first] = minutes;
    if (first === undefined) return [];
    const sizeDecimals = this.#meta().universe.find((entry) => entry.name === coin)?.szDecimals ?? 0;
    let flatPrice = first[1].open;
    const range = { startMs: Math.max(startMs, first[0]), endMs: Math.min(endMs, this.#now()), max: CANDLES_MAX };
    return candleStarts(interval, range).map((start) => {
      const sum = emptySum();
      for (const [minute, part] of minutes) if (minute >= start && minute < candleEnd(interval, start)) join(sum, part);
      const candle = toWireCandle({ coin, sizeDecimals }, { interval, startMs: start, sum, flatPrice });
      if (sum.n > 0) flatPrice = sum.close;
      return candle;
    });
  }

  #onTrades(coin: string, state: PlayedCoin, trades: readonly WireTrade[]): void {
    const sizeDecimals = this.#meta().universe.find((entry) => entry.name === coin)?.szDecimals ?? 0;
    // A recorder that connected again heard the latest trades twice.
    const known = new Set(state.trades.map((trade) => trade.tid));
    for (const trade of trades.toSorted((a, b) => a.time - b.time)) {
      if (known.has(trade.tid)) continue;
      state.trades.unshift(trade);
      const minute = Math.floor(trade.time / MINUTE_MS) * MINUTE_MS;
      const sum = state.minutes.get(minute) ?? emptySum();
      addTrade(sum, Number(trade.px), Math.round(Number(trade.sz) * 10 ** sizeDecimals));
      state.minutes.set(minute, sum);
    }
    state.trades.splice(RECENT_TRADES);
    const [oldest] = state.minutes.keys();
    if (state.minutes.size > CANDLES_MAX && oldest !== undefined) state.minutes.delete(oldest);
  }

  #coin(coin: string): PlayedCoin {
    let state = this.#coins.get(coin);
    if (state === undefined) {
      state = { trades: [], minutes: new Map() };
      this.#coins.set(coin, state);
    }
    return state;
  }
}

const coinOf = (data: unknown): string | undefined =>
  Array.isArray(data) ? (data[0] as { coin?: string } | undefined)?.coin : (data as { coin?: string }).coin;

/** Frame data with its `time` fields moved, and its trade ids those of this round. */
function shifted(data: unknown, shift: TimeShift & { readonly round: number }): unknown {
  if (Array.isArray(data)) return data.map((entry) => shifted(entry, shift));
  const { time, tid } = data as { time?: number; tid?: number };
  return {
    ...(data as object),
    ...(time === undefined ? {} : { time: shiftedTime(time, shift) }),
    ...(tid === undefined ? {} : { tid: (tid + shift.round) % TID_BOUND }),
  };
}

/** When a recorded moment is played. */
export function shiftedTime(timeMs: number, { recordedMs, playedMs, speed }: TimeShift): number {
  return Math.round(playedMs + (timeMs - recordedMs) / speed);
}

function marginTable(id: unknown): unknown {
  if (!Number.isInteger(id)) throw new UnreadableRequest();
  return { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: id }] };
}
