// The moves of one coin by itself, as a pure function of seed and time. Time is cut into slots. A slot opens with a book
// around the price of its moment; its trades lead to the next slot's price by taking every level in between.
import { HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import type { MarketTrade } from '../domain/feed.ts';
import { trimmed } from '../venue/wire.ts';
import { type Listing, priceText, sizeText } from './listing.ts';

/** One level in whole steps and lots. */
export interface PathLevel {
  readonly steps: number;
  readonly lots: number;
  readonly orders: number;
}

/** One trade in whole steps and lots. */
interface PathTrade {
  readonly side: 'buy' | 'sell';
  readonly steps: number;
  readonly lots: number;
  readonly timeMs: number;
  readonly tid: number;
}

/** A slot without a price move has a trade with this probability. */
const TRADE_PROBABILITY = 0.6;
/** Slots for which a level keeps its size. */
const LEVEL_SLOTS = 8;
/** More levels than this are never taken in one slot; the slopes of the noise stay far below. */
const SLOT_TRADES_MAX = 32;
/** Where a path that has a beginning of its own begins, ms: some time of the calendar, a whole number of all slots. */
const BEGIN_MS = Date.UTC(2026, 0, 1);
/** Factors that keep trade ids of different coins apart and below 2^50. */
const COINS_MAX = 1024;

const SALT = { offset: 11, trade: 12, side: 13, size: 14, bid: 15, ask: 16, orders: 17, premium: 18, jitter: 19 } as const;

export class CoinPath {
  readonly listing: Listing;
  readonly #seed: number;
  readonly #noise: PriceNoise;
  /** How far its time is behind the calendar's, ms. */
  readonly #shiftMs: number;
  #knownSlot = Number.NaN;
  #knownBid = 0;

  /** @param beginsMs when it is at its beginning, which each start with the seed has in common; undefined: it goes by the calendar */
  constructor(listing: Listing, seed: number, beginsMs: number = BEGIN_MS) {
    this.listing = listing;
    this.#seed = hash(seed, listing.index, 1);
    this.#noise = new PriceNoise(this.#seed);
    this.#shiftMs = beginsMs - BEGIN_MS;
  }

  slotAt(timeMs: number): number {
    return Math.floor((timeMs - this.#shiftMs) / this.listing.slotMs);
  }

  slotStartMs(slot: number): number {
    return slot * this.listing.slotMs + this.#shiftMs;
  }

  /** When the trades of a slot happen. */
  tradeTimeMs(slot: number): number {
    const { slotMs } = this.listing;
    return this.slotStartMs(slot) + Math.floor(slotMs * (0.2 + 0.6 * unit(this.#seed, slot, SALT.offset)));
  }

  /** Best bid at the slot's opening, steps; the best ask is one step above. */
  bidAt(slot: number): number {
    if (slot !== this.#knownSlot) {
      const deviation = this.#noise.at(slot * this.listing.slotMs);
      this.#knownBid = Math.max(1, Math.floor(this.listing.baseSteps * (1 + deviation)));
      this.#knownSlot = slot;
    }
    return this.#knownBid;
  }

  /** Levels of one side at the slot's opening, best first. */
  levels(
    slot: number,
    side: 'bid' | 'ask',
    count: number,
    best = side === 'bid' ? this.bidAt(slot) : this.bidAt(slot) + 1,
  ): PathLevel[] {
    const levels: PathLevel[] = [];
    for (let i = 0; i < count; i++) {
      const steps = side === 'bid' ? best - i : best + i;
      if (steps < 1) break;
      const lots = this.#lots(slot, side, steps);
      levels.push({ steps, lots, orders: 1 + (hash(this.#seed, steps, SALT.orders) % Math.min(20, lots)) });
    }
    return levels;
  }

  /** Calls back with each trade of a slot, in the order in which they happen. Allocates nothing: histories are long. */
  eachTrade(slot: number, onTrade: (side: 'buy' | 'sell', steps: number, lots: number, n: number) => void): void {
    const bid = this.bidAt(slot);
    const next = this.bidAt(slot + 1);
    if (next > bid) {
      const taken = Math.min(next - bid, SLOT_TRADES_MAX);
      for (let i = 0; i < taken; i++) onTrade('buy', bid + 1 + i, this.#lots(slot, 'ask', bid + 1 + i), i);
    } else if (next < bid) {
      const taken = Math.min(bid - next, SLOT_TRADES_MAX);
      for (let i = 0; i < taken; i++) onTrade('sell', bid - i, this.#lots(slot, 'bid', bid - i), i);
    } else if (unit(this.#seed, slot, SALT.trade) < TRADE_PROBABILITY) {
      const isBuy = (hash(this.#seed, slot, SALT.side) & 1) === 1;
      const steps = isBuy ? bid + 1 : bid;
      const share = unit(this.#seed, slot, SALT.size);
      const lots = this.#lots(slot, isBuy ? 'ask' : 'bid', steps);
      onTrade(isBuy ? 'buy' : 'sell', steps, Math.max(1, Math.floor(lots * share * share * 0.5)), 0);
    }
  }

  trades(slot: number): PathTrade[] {
    const trades: PathTrade[] = [];
    const timeMs = this.tradeTimeMs(slot);
    this.eachTrade(slot, (side, steps, lots, n) => {
      trades.push({ side, steps, lots, timeMs, tid: (slot * SLOT_TRADES_MAX + n) * COINS_MAX + this.listing.index });
    });
    return trades;
  }

  /** Hourly premium of the hour that ends at `hour * 1 h`, a fraction of the oracle price. */
  premium(calendarHour: number): number {
    const hour = calendarHour - Math.floor(this.#shiftMs / HOUR_MS);
    const base = Number(this.listing.context.premium ?? 0);
    const wander =
      unit(this.#seed, Math.floor(hour / 8), SALT.premium) - 0.5 + (unit(this.#seed, hour, SALT.premium) - 0.5) * 0.5;
    return Math.max(-0.004, Math.min(0.004, base * 0.5)) + wander * 0.0006;
  }

  /** A few ms after the hour, as the venue stamps its funding rows. */
  fundingTimeMs(hour: number): number {
    return hour * HOUR_MS + (hash(this.#seed, hour, SALT.jitter) % 150);
  }

  #lots(slot: number, side: 'bid' | 'ask', steps: number): number {
    const salt = side === 'bid' ? SALT.bid : SALT.ask;
    const epoch = Math.floor((slot + (steps & 7)) / LEVEL_SLOTS);
    return Math.max(1, Math.floor(this.listing.levelLots * (0.3 + 1.4 * unit(this.#seed + steps, epoch, salt))));
  }
}

/** Hourly funding rate that a premium gives: interest 0.01 % per 8 hours, clamped to 0.05 %, paid in eighths, at most 4 %. */
export function fundingRate(premium: number): number {
  const hourly = (premium + Math.max(-0.0005, Math.min(0.0005, 0.0001 - premium))) / 8;
  return Math.max(-0.04, Math.min(0.04, hourly));
}

/** A fraction as the venue writes it: at most 10 decimals, at least one. */
export function fractionText(value: number): string {
  const text = trimmed(value.toFixed(10));
  return text === '-0.0' ? '0.0' : text;
}

export function toMarketTrade(listing: Listing, trade: PathTrade): MarketTrade {
  return {
    side: trade.side,
    price: priceText(listing, trade.steps),
    size: sizeText(listing, trade.lots),
    timeMs: trade.timeMs,
    tid: trade.tid,
  };
}

/**
 * Deterministic randomness: hashes of integers in place of a generator with state. Any moment of the emulated market can be
 * computed alone, and a restarted emulator has the same past. 32-bit hash of integers (each step is the murmur3 mix).
 */
export function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b);
  h = mix(h ^ (b | 0));
  h = mix(h ^ Math.floor(b / 0x100000000) ^ (c | 0));
  return h >>> 0;
}

/** In [0, 1). */
const unit = (a: number, b: number, c: number): number => hash(a, b, c) / 0x100000000;

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Periods in ms and amplitudes as fractions of the price: jitter, swings, days. Their slopes bound how fast prices move. */
const OCTAVES = [
  { periodMs: 20_000, amplitude: 0.0004 },
  { periodMs: 5 * MINUTE_MS, amplitude: 0.0015 },
  { periodMs: HOUR_MS, amplitude: 0.004 },
  { periodMs: 8 * HOUR_MS, amplitude: 0.015 },
  { periodMs: 259_200_000, amplitude: 0.04 },
] as const;

/** Smooth noise over time for one coin. Remembers the cells of the last call: walking forward costs next to nothing. */
class PriceNoise {
  readonly #seed: number;
  readonly #cells = OCTAVES.map(() => ({ index: Number.NaN, left: 0, right: 0 }));

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Relative deviation from the base price, within about ±6 %. */
  at(timeMs: number): number {
    let sum = 0;
    for (let i = 0; i < OCTAVES.length; i++) {
      const octave = OCTAVES[i];
      const cell = this.#cells[i];
      if (octave === undefined || cell === undefined) continue;
      const position = timeMs / octave.periodMs;
      const index = Math.floor(position);
      if (cell.index !== index) {
        cell.index = index;
        cell.left = unit(this.#seed, index, i) * 2 - 1;
        cell.right = unit(this.#seed, index + 1, i) * 2 - 1;
      }
      const x = position - index;
      sum += octave.amplitude * (cell.left + (cell.right - cell.left) * x * x * (3 - 2 * x));
    }
    return sum;
  }
}
