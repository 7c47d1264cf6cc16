// Deterministic randomness: hashes of integers in place of a generator with state. Any moment of the emulated market
// can be computed alone, and a restarted emulator has the same past.

import { HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';

/** 32-bit hash of integers (each step is the murmur3 mix). */
export function hash(a: number, b: number, c: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b);
  h = mix(h ^ (b | 0));
  h = mix(h ^ Math.floor(b / 0x100000000) ^ (c | 0));
  return h >>> 0;
}

/** In [0, 1). */
export const unit = (a: number, b: number, c: number): number => hash(a, b, c) / 0x100000000;

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
export class PriceNoise {
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
