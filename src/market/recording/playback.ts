// A recording that is being played, as an exchange: the state after the frames played so far, with all times moved to
// now. It answers the market data questions; candles and funding rates continue from the recorded ones.
import type { VenueMeta } from '../domain/asset.ts';
import { candleStart, type Interval } from '../domain/candleInterval.ts';
import type { VenueCandle } from '../domain/feed.ts';
import {
  type Body,
  type Exchange,
  type ExchangeSubscription,
  marginTable,
  requireBody,
  requireCandles,
  requireRange,
  requireText,
  toAggregation,
  UnreadableRequest,
} from '../venue/exchange.ts';
import { FUNDING_ROWS_MAX, PlayedCoin, type PlayedFunding, type PlayedTrade } from './playedCoin.ts';
import type { RecordedFrame, RecordedLine, RecordedRequest } from './record.ts';

const RECENT_TRADES_REST = 10;
/** Trade ids stay below the venue's bound. */
const TID_BOUND = 2 ** 50;

type RecordedAnswer = Extract<RecordedLine, { request: RecordedRequest }>;

interface PastRequest {
  readonly coin: string;
  readonly interval?: string;
}

/** Moves recorded times to the time of playing. */
export interface TimeShift {
  readonly recordedMs: number;
  readonly playedMs: number;
  readonly speed: number;
}

export class Playback implements Exchange {
  readonly hasUsers = false;
  readonly #now: () => number;
  readonly #answers = new Map<string, unknown>();
  readonly #coins = new Map<string, PlayedCoin>();
  /** Recorded answers about the past, until the time to which they are moved is known. */
  #past: RecordedAnswer[] = [];
  #recordedMs = 0;
  #mids: Record<string, string> = {};

  constructor(options: { now: () => number }) {
    this.#now = options.now;
  }

  /** Takes a recorded answer. */
  onAnswer(line: RecordedAnswer): void {
    const { type } = line.request;
    if (type === 'candleSnapshot' || type === 'fundingHistory') {
      this.#past.push(line);
      return;
    }
    this.#answers.set(type, line.answer);
    if (type === 'allMids') this.#mids = { ...(line.answer as Record<string, string>) };
  }

  /**
   * Begins a round. With the first one the recorded past is moved, by whole minutes or hours: the minute and the hour that
   * were in progress become those that are.
   */
  begin(shift: TimeShift): void {
    for (const { candles } of this.#coins.values()) candles.countedUntil(shift.playedMs);
    this.#recordedMs = shift.recordedMs;
    const shiftBy = (interval: Interval): number =>
      candleStart(interval, shift.playedMs) - candleStart(interval, shift.recordedMs);
    for (const { request, answer, atMs } of this.#past.splice(0)) {
      const { coin, interval } = (request['req'] ?? request) as PastRequest;
      const state = this.#coin(coin);
      if (request.type === 'fundingHistory') {
        const shiftMs = shiftBy('1h');
        state.fundings.push(...(answer as PlayedFunding[]).map((row) => ({ ...row, time: row.time + shiftMs })));
      } else if (interval === '1h' || interval === '1m') {
        state.candles.take(answer as VenueCandle[], { interval, shiftMs: shiftBy(interval) });
        if (interval === '1m') state.candles.countedUntil(shiftedTime(atMs, shift));
      }
    }
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
    if (channel === 'trades') state.onTrades(data as PlayedTrade[]);
    else {
      if (channel === 'activeAssetCtx') state.payFunding(this.#now());
      Object.assign(state, { [channel]: data });
    }
    return { coin, frame: { channel, data } };
  }

  hasCoin(coin: string): boolean {
    return this.#meta().universe.some((entry) => entry.name === coin);
  }

  async info(body: unknown): Promise<unknown> {
    const request = requireBody(body);
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
        return this.#book(request, requireText(request, 'coin')) ?? null;
      case 'recentTrades':
        return this.#coins.get(requireText(request, 'coin'))?.trades.slice(0, RECENT_TRADES_REST) ?? [];
      case 'candleSnapshot':
        return this.#candles(request.req);
      case 'fundingHistory':
        return this.#fundings(request);
      case 'predictedFundings':
        return this.#predictions();
      case 'exchangeStatus':
        return { time: this.#now(), specialStatuses: null };
      case 'marginTable':
        return marginTable(this.#meta(), request);
      default: {
        const answer = this.#answers.get(String(request.type));
        if (answer === undefined) throw new UnreadableRequest();
        return answer;
      }
    }
  }

  snapshot(subscription: ExchangeSubscription): unknown {
    if (subscription.type === 'allMids') return { mids: this.#mids };
    const coin = String(subscription.coin);
    if (subscription.type === 'l2Book') return this.#book(subscription, coin);
    if (subscription.type === 'candle')
      return this.#candles({ coin, interval: subscription.interval, startTime: this.#now() }).at(-1);
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

  #book(request: Body, coin: string): unknown {
    const aggregation = toAggregation(request);
    return this.#coins.get(coin)?.book(aggregation);
  }

  #candles(body: unknown): VenueCandle[] {
    const { coin, interval, startMs, endMs } = requireCandles(body, this.#now());
    return this.#coins.get(coin)?.candles.read(interval, { startMs, endMs: Math.min(endMs, this.#now()) }) ?? [];
  }

  #fundings(request: Body): PlayedFunding[] {
    const coin = requireText(request, 'coin');
    const { startMs, endMs } = requireRange(request, this.#now());
    const untilMs = Math.min(endMs, this.#now());
    const rows = this.#coins.get(coin)?.fundings.filter(({ time }) => time >= startMs && time <= untilMs) ?? [];
    return rows.slice(0, FUNDING_ROWS_MAX);
  }

  /** As recorded, the times of the next payments moved by whole hours. @throws {UnreadableRequest} when none were recorded */
  #predictions(): unknown {
    const answer = this.#answers.get('predictedFundings');
    if (answer === undefined) throw new UnreadableRequest();
    const shiftMs = candleStart('1h', this.#now()) - candleStart('1h', this.#recordedMs);
    return JSON.parse(JSON.stringify(answer), (key, value) => (key === 'nextFundingTime' ? Number(value) + shiftMs : value));
  }

  #coin(coin: string): PlayedCoin {
    let state = this.#coins.get(coin);
    if (state === undefined) {
      const sizeDecimals = this.#meta().universe.find((entry) => entry.name === coin)?.szDecimals ?? 0;
      state = new PlayedCoin(coin, sizeDecimals);
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
