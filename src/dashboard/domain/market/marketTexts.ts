// Sentences about charts and books, made from the data, for readers that do not see a picture.
import { grouped, percent } from '../texts.ts';
import { HOUR_MS } from '../units.ts';
import type { Ladder } from './ladder.ts';
import { type Book, dayChange } from './wireMarket.ts';

interface ChartFacts {
  readonly coin: string;
  readonly interval: string;
  readonly price: string | undefined;
  readonly earlierPrice: string | undefined;
  readonly fills: number;
}

/** `BTC 1h, 67 182, up 1.20 % in a day, 3 own fills`. */
export function chartSentence({ coin, interval, price, earlierPrice, fills }: ChartFacts): string {
  const parts = [`${coin} ${interval}`];
  if (price === undefined) return `${coin} ${interval}: no candle yet`;
  parts.push(grouped(price));
  const change = earlierPrice === undefined ? undefined : dayChange(price, earlierPrice);
  if (change !== undefined) parts.push(`${changeWord(change)} ${percent(Math.abs(change))} in a day`);
  parts.push(fills === 1 ? '1 own fill' : `${fills === 0 ? 'no' : fills} own fills`);
  return parts.join(', ');
}

const changeWord = (change: number): string => (change > 0 ? 'up' : change < 0 ? 'down' : 'changed by');

/** Best ask less best bid, USD, and as a share of their middle; undefined where a side is empty. A computed number. */
export function spreadOf({ bids, asks }: Book): { readonly usd: number; readonly share: number } | undefined {
  const [bid, ask] = [Number(bids[0]?.price), Number(asks[0]?.price)];
  if (!(bid > 0) || !(ask > 0)) return undefined;
  const usd = Number((ask - bid).toPrecision(6));
  return { usd, share: usd / ((ask + bid) / 2) };
}

/** The picture of the depth in words. */
export function depthSentence(coin: string, { bids, asks }: Ladder): string {
  const [bid, ask] = [bids.at(-1), asks.at(-1)];
  if (bid === undefined || ask === undefined) return `${coin} depth: a side of the book is empty`;
  return `${coin} depth: ${grouped(bid.total)} bid down to ${grouped(bid.price)}, ${grouped(ask.total)} offered up to ${grouped(ask.price)}`;
}

const UNITS = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** A large amount of USD in three figures: `1.23 B`. */
export function short(amount: string): string {
  const value = Number(amount);
  const unit = UNITS.find(([size]) => Math.abs(value) >= size);
  return unit === undefined ? value.toFixed(0) : `${Number((value / unit[0]).toPrecision(3))}\u202f${unit[1]}`;
}

/** Time until the next full hour, when a rate of funding is fixed: `00:41:07`. */
export function untilNextHour(nowMs: number): string {
  const left = Math.ceil((HOUR_MS - (nowMs % HOUR_MS)) / 1_000);
  return [left / 3_600, (left % 3_600) / 60, left % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':');
}
