// The coins of the emulated venue: the recorded universe with its contexts, and for each coin the grid on which its
// prices and sizes are whole numbers. Prices of the grid are legal at the venue (5 significant figures).
import { readFileSync } from 'node:fs';
import type { VenueMeta } from '../domain/asset.ts';
import type { AssetContext } from '../domain/feed.ts';
import { trimmed } from '../venue/wire.ts';

export interface SpotContext {
  readonly coin: string;
  readonly markPx: string;
  readonly midPx: string | null;
  readonly prevDayPx: string;
  readonly [field: string]: unknown;
}

/** The recorded answers that the emulated venue starts from. */
export interface Seed {
  readonly meta: VenueMeta;
  readonly contexts: readonly AssetContext[];
  readonly spotMeta: { readonly universe: readonly { readonly name: string }[]; readonly tokens: readonly unknown[] };
  readonly spotContexts: readonly SpotContext[];
}

export interface Listing {
  readonly index: number;
  readonly coin: string;
  readonly isDelisted: boolean;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  /** The recorded context: base price, volumes, funding. */
  readonly context: AssetContext;
  readonly basePrice: number;
  /** Decimals of prices, and how many of the last unit one step is. */
  readonly priceDecimals: number;
  readonly unitsPerStep: number;
  /** Steps of the base price. */
  readonly baseSteps: number;
  /** Mean size of a level, lots. */
  readonly levelLots: number;
  /** Time between two books, ms. */
  readonly slotMs: number;
}

/** Reads the recorded seed beside this file. */
export function readSeed(): Seed {
  const [meta, contexts] = readJson('metaAndAssetCtxs') as [VenueMeta, AssetContext[]];
  const [spotMeta, spotContexts] = readJson('spotMetaAndAssetCtxs') as [Seed['spotMeta'], SpotContext[]];
  return { meta, contexts, spotMeta, spotContexts };
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(`./seed/${name}.json`, import.meta.url), 'utf8'));

/** Volumes a day, USD, from which a coin ticks every second or every two seconds; the others every five. */
const MAJOR_VOLUME_USD = 100e6;
const MIDDLE_VOLUME_USD = 10e6;
/** A step of about this fraction of the price, where the legal tick is finer. */
const STEP_FRACTION = 0.0001;
/** Prices stay below the base price times this, so one number of decimals is legal for all of them. */
const HEADROOM = 1.07;
/** Prices of a book's levels stay below its price times this. */
const AROUND = 1.01;
const LEVEL_USD_MIN = 2000;
const LEVEL_USD_MAX = 400_000;
/** A level holds about this part of a day's volume. */
const LEVEL_SHARE = 1 / 20_000;

export function toListings(seed: Seed): Listing[] {
  return seed.meta.universe.map((entry, index) => {
    const context = seed.contexts[index];
    if (context === undefined) throw new Error(`seed has no context for ${entry.name}`);
    const basePrice = Number(context.markPx);
    const volumeUsd = Number(context.dayNtlVlm);
    const wholeDigits = Math.floor(Math.log10(basePrice * HEADROOM)) + 1;
    const priceDecimals = Math.max(0, Math.min(6 - entry.szDecimals, 5 - wholeDigits));
    const units = basePrice * 10 ** priceDecimals;
    const unitsPerStep = Math.max(1, Math.floor(units * STEP_FRACTION));
    const levelUsd = Math.min(LEVEL_USD_MAX, Math.max(LEVEL_USD_MIN, volumeUsd * LEVEL_SHARE));
    return {
      index,
      coin: entry.name,
      isDelisted: entry.isDelisted === true,
      sizeDecimals: entry.szDecimals,
      maxLeverage: entry.maxLeverage,
      context,
      basePrice,
      priceDecimals,
      unitsPerStep,
      baseSteps: Math.round(units / unitsPerStep),
      levelLots: Math.max(1, (levelUsd / basePrice) * 10 ** entry.szDecimals),
      slotMs: volumeUsd >= MAJOR_VOLUME_USD ? 1000 : volumeUsd >= MIDDLE_VOLUME_USD ? 2000 : 5000,
    };
  });
}

/** Wire text of `units / 10^decimals`: at least one decimal, no trailing zeros beyond it. */
export function scaledText(units: number, decimals: number): string {
  if (decimals === 0) return `${units}.0`;
  const digits = String(units).padStart(decimals + 1, '0');
  return trimmed(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}

/** A price given in steps. */
export const priceText = (listing: Listing, steps: number): string =>
  scaledText(steps * listing.unitsPerStep, listing.priceDecimals);

/**
 * The legal price of a level beside any price: whole ticks of that price away from it.
 * @param level 1 the best ask, -1 the best bid, and so on
 * @returns undefined at and below zero
 */
export function priceAround({ sizeDecimals }: Listing, price: number, level: number): string | undefined {
  const wholeDigits = Math.floor(Math.log10(price * AROUND)) + 1;
  const decimals = Math.max(0, Math.min(6 - sizeDecimals, 5 - wholeDigits));
  const ticks = Number((price * 10 ** decimals).toFixed(6));
  const ticksPerLevel = Math.max(1, Math.floor(ticks * STEP_FRACTION));
  const units =
    level < 0 ? Math.ceil(ticks) - 1 + (level + 1) * ticksPerLevel : Math.floor(ticks) + 1 + (level - 1) * ticksPerLevel;
  return units > 0 ? scaledText(units, decimals) : undefined;
}

/** A size given in lots. */
export const sizeText = (listing: Listing, lots: number): string => scaledText(lots, listing.sizeDecimals);

/** The legal price nearest to `price`: what marks and oracles are written as. */
export const legalPriceText = (listing: Listing, price: number): string =>
  scaledText(Math.max(1, Math.round(price * 10 ** listing.priceDecimals)), listing.priceDecimals);
