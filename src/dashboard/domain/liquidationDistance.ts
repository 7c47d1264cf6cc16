// How far a position is from its liquidation, as a share of the mark: a computed number, for reading only.

/**
 * Share of the mark that the price may move against the position, 0.05 = 5 %. Not below 0.
 * @returns undefined where the position has no liquidation price
 */
export function liquidationDistance(markPrice: string, liquidationPrice: string | null): number | undefined {
  const mark = Number(markPrice);
  if (liquidationPrice === null || !(mark > 0)) return undefined;
  return Math.abs(mark - Number(liquidationPrice)) / mark;
}

/** The mark that a position's value was worked out by, USD per coin: a computed number, as text. */
export const markOf = ({ notional, size }: { readonly notional: string; readonly size: string }): string =>
  String(Number((Number(notional) / Number(size)).toPrecision(12)));
