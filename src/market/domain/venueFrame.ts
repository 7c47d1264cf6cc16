// Reads the venue's frames and answers into the project's own changes. Unknown fields and channels are ignored. Every
// number that is read is checked, because a price that is no number must not reach a trading rule.
import type { VenueMeta } from './asset.ts';
import type {
  AssetContext,
  BboChange,
  BookChange,
  CandleChange,
  ContextChange,
  FeedLevel,
  MarketTrade,
  MidsChange,
} from './feed.ts';

/** Trades as they came. Whether they are news or a snapshot, the connection knows. */
export interface VenueTrades {
  readonly type: 'venueTrades';
  readonly coin: string;
  /** Oldest first. */
  readonly trades: readonly MarketTrade[];
}

export type VenueFrame =
  | BookChange
  | BboChange
  | ContextChange
  | CandleChange
  | MidsChange
  | VenueTrades
  /** A pong, an acknowledgement, or a channel without a subscription. */
  | { readonly type: 'other'; readonly channel: string }
  /** The venue's own `error` frame. */
  | { readonly type: 'venueError'; readonly text: string };

/** Text that does not have the form that the venue documents. */
export class UnreadableFrame extends Error {
  override name = 'UnreadableFrame';
}

type Json = Readonly<Record<string, unknown>>;

const LEVELS_MAX = 20;
const UNSIGNED = /^\d{1,20}(\.\d{1,20})?$/;
const SIGNED = /^-?\d{1,20}(\.\d{1,20})?$/;

/**
 * Reads one WebSocket text frame.
 * @param receivedAtMs time of changes that the venue sends without one
 * @throws {UnreadableFrame} with the reason
 */
export function readFrame(text: string, receivedAtMs: number): VenueFrame {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableFrame('not JSON', { cause });
  }
  const { channel, data } = requireObject(message) as { channel?: unknown; data?: unknown };
  switch (channel) {
    case 'l2Book':
      return readBook(data);
    case 'bbo':
      return readBbo(data);
    case 'trades':
      return readTrades(data);
    case 'activeAssetCtx': {
      const { coin, ctx } = requireObject(data) as { coin?: unknown; ctx?: unknown };
      return { type: 'context', coin: requireText(coin), timeMs: receivedAtMs, context: readContext(ctx) };
    }
    case 'candle':
      return readCandle(data, receivedAtMs);
    case 'allMids':
      return { type: 'mids', timeMs: receivedAtMs, mids: readMids((requireObject(data) as { mids?: unknown }).mids) };
    case 'error':
      return { type: 'venueError', text: String(data) };
    default:
      return { type: 'other', channel: String(channel) };
  }
}

/** Reads the answer to `l2Book`, and the data of its frames. @throws {UnreadableFrame} */
export function readBook(data: unknown): BookChange {
  const { coin, time, levels, setTime } = requireObject(data) as Readonly<
    Record<'coin' | 'time' | 'levels' | 'setTime', unknown>
  >;
  if (!Array.isArray(levels)) throw new UnreadableFrame('levels are missing');
  return {
    type: 'book',
    coin: requireText(coin),
    timeMs: requireWhole(time),
    bids: readLevels(levels[0]),
    asks: readLevels(levels[1]),
    ...(setTime !== undefined && { setMs: requireWhole(setTime) }),
  };
}

/** Reads the answer to `metaAndAssetCtxs`. @throws {UnreadableFrame} */
export function readMetaAndContexts(data: unknown): { meta: VenueMeta; contexts: readonly AssetContext[] } {
  if (!Array.isArray(data)) throw new UnreadableFrame('metaAndAssetCtxs is no pair');
  const [meta, contexts] = data as [unknown, unknown];
  const { universe } = requireObject(meta) as { universe?: unknown };
  if (!Array.isArray(universe) || !Array.isArray(contexts) || universe.length !== contexts.length) {
    throw new UnreadableFrame('universe and contexts do not belong together');
  }
  for (const entry of universe) {
    const { name, szDecimals, maxLeverage } = requireObject(entry) as Json;
    requireText(name);
    requireWhole(szDecimals);
    requireWhole(maxLeverage);
  }
  return { meta: meta as VenueMeta, contexts: contexts.map(readContext) };
}

function readBbo(data: unknown): BboChange {
  const { coin, time, bbo } = requireObject(data) as { coin?: unknown; time?: unknown; bbo?: unknown };
  if (!Array.isArray(bbo)) throw new UnreadableFrame('bbo is missing');
  const [bid, ask] = bbo as [unknown, unknown];
  return {
    type: 'bbo',
    coin: requireText(coin),
    timeMs: requireWhole(time),
    bid: bid == null ? null : readLevel(bid),
    ask: ask == null ? null : readLevel(ask),
  };
}

/** One candle, whatever its interval; documented as a list, sent as an object. */
function readCandle(data: unknown, timeMs: number): CandleChange {
  const candle: unknown = Array.isArray(data) ? data.at(-1) : data;
  const { t, T, s, i, o, c, h, l, v, n } = requireObject(candle) as Json;
  const coin = requireText(s);
  return {
    type: 'candle',
    coin,
    timeMs,
    candle: {
      t: requireWhole(t),
      T: requireWhole(T),
      s: coin,
      i: requireText(i),
      o: requireNumber(o),
      c: requireNumber(c),
      h: requireNumber(h),
      l: requireNumber(l),
      v: requireNumber(v),
      n: requireWhole(n),
    },
  };
}

/** The venue gives the newest first in its snapshot and any order within a block; rules need the oldest first. */
function readTrades(data: unknown): VenueTrades {
  if (!Array.isArray(data)) throw new UnreadableFrame('trades are no array');
  const coin = data.length === 0 ? '' : requireText((requireObject(data[0]) as { coin?: unknown }).coin);
  const trades = data.map(readTrade);
  const isNewestFirst = (trades[0]?.timeMs ?? 0) > (trades.at(-1)?.timeMs ?? 0);
  if (isNewestFirst) trades.reverse();
  return { type: 'venueTrades', coin, trades: trades.sort((a, b) => a.timeMs - b.timeMs) };
}

function readTrade(entry: unknown): MarketTrade {
  const { side, px, sz, time, tid, hash, users } = requireObject(entry) as Json & { users?: unknown };
  if (side !== 'A' && side !== 'B') throw new UnreadableFrame('side of a trade is neither A nor B');
  return {
    side: side === 'B' ? 'buy' : 'sell',
    price: requireNumber(px),
    size: requireNumber(sz),
    timeMs: requireWhole(time),
    tid: requireWhole(tid),
    ...(typeof hash === 'string' ? { hash } : {}),
    ...(isPair(users) ? { users } : {}),
  };
}

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === 'string');

/** Every number is checked; fields that are not known pass through. */
function readContext(data: unknown): AssetContext {
  const context = requireObject(data) as Json & { impactPxs?: unknown; midPx?: unknown; premium?: unknown };
  const { funding, openInterest, prevDayPx, dayNtlVlm, oraclePx, markPx, midPx, premium, impactPxs } = context as Json;
  for (const price of [oraclePx, markPx, prevDayPx]) requireNumber(price);
  for (const number of [funding, openInterest, dayNtlVlm]) requireSigned(number);
  if (midPx != null) requireNumber(midPx);
  if (premium != null) requireSigned(premium);
  const impact = isPair(impactPxs) ? impactPxs : null;
  return {
    ...(context as unknown as AssetContext),
    midPx: (midPx ?? null) as string | null,
    premium: (premium ?? null) as string | null,
    impactPxs: impact,
  };
}

function readMids(data: unknown): Record<string, string> {
  const mids: Record<string, string> = {};
  for (const [coin, mid] of Object.entries(requireObject(data))) mids[coin] = requireNumber(mid);
  return mids;
}

function readLevels(data: unknown): FeedLevel[] {
  if (!Array.isArray(data)) throw new UnreadableFrame('a side of the book is missing');
  return data.slice(0, LEVELS_MAX).map(readLevel);
}

function readLevel(data: unknown): FeedLevel {
  const { px, sz, n } = requireObject(data) as Json;
  return [requireNumber(px), requireNumber(sz), typeof n === 'number' ? n : 1];
}

function requireObject(value: unknown): object {
  if (typeof value !== 'object' || value === null) throw new UnreadableFrame('object expected');
  return value;
}

function requireText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new UnreadableFrame('text expected');
  return value;
}

function requireNumber(value: unknown): string {
  if (typeof value !== 'string' || !UNSIGNED.test(value))
    throw new UnreadableFrame(`decimal text expected, got ${String(value)}`);
  return value;
}

function requireSigned(value: unknown): string {
  if (typeof value !== 'string' || !SIGNED.test(value)) throw new UnreadableFrame(`decimal text expected, got ${String(value)}`);
  return value;
}

function requireWhole(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new UnreadableFrame('whole number expected');
  return value;
}
