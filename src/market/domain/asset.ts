// One perpetual contract as the venue's `meta` describes it. It changes only when the venue lists or delists.
import { Decimal } from '../../shared/domain/decimal.ts';

/** One step of a margin table: above `lowerBound` USD of notional the leverage is at most `maxLeverage`. */
export interface MarginTier {
  readonly lowerBound: Decimal;
  readonly maxLeverage: number;
}

export interface Asset {
  /** Asset id: position in the venue's universe, delisted entries counted. */
  readonly id: number;
  readonly coin: string;
  readonly sizeDecimals: number;
  /** Of the first tier. */
  readonly maxLeverage: number;
  /** Ascending by `lowerBound`, the first at 0. */
  readonly marginTiers: readonly MarginTier[];
  /** True when cross margin is not allowed. */
  readonly onlyIsolated: boolean;
  /** True when margin cannot be taken out of the isolated position either. */
  readonly strictIsolated: boolean;
  readonly isDelisted: boolean;
  /** True while the venue lets nothing add to its open interest (trading-rules 1.9). */
  readonly isAtOpenInterestCap: boolean;
}

/** The venue's `meta` answer, as far as it is read here. Other fields pass through to clients untouched. */
export interface VenueMeta {
  readonly universe: readonly {
    readonly name: string;
    readonly szDecimals: number;
    readonly maxLeverage: number;
    readonly marginTableId?: number;
    readonly isDelisted?: boolean;
    readonly onlyIsolated?: boolean;
    readonly marginMode?: string;
  }[];
  readonly marginTables?: readonly (readonly [
    number,
    {
      readonly description: string;
      readonly marginTiers: readonly { readonly lowerBound: string; readonly maxLeverage: number }[];
    },
  ])[];
}

/**
 * Reads the venue's `meta` into assets. A table id that is not listed means one tier with the asset's max leverage.
 * @param atCap coins at their cap of open interest
 */
export function toAssets(meta: VenueMeta, atCap: readonly string[] = []): Asset[] {
  const capped = new Set(atCap);
  const tables = new Map(meta.marginTables ?? []);
  return meta.universe.map((entry, id) => {
    const tiers = tables.get(entry.marginTableId ?? -1)?.marginTiers ?? [{ lowerBound: '0', maxLeverage: entry.maxLeverage }];
    return {
      id,
      coin: entry.name,
      sizeDecimals: entry.szDecimals,
      maxLeverage: entry.maxLeverage,
      marginTiers: tiers.map((tier) => ({ lowerBound: new Decimal(tier.lowerBound), maxLeverage: tier.maxLeverage })),
      onlyIsolated: entry.onlyIsolated === true || entry.marginMode === 'strictIsolated' || entry.marginMode === 'noCross',
      strictIsolated: entry.marginMode === 'strictIsolated',
      isDelisted: entry.isDelisted === true,
      isAtOpenInterestCap: capped.has(entry.name),
    };
  });
}
