// What an account remembers of its liquidation (trading-rules 5.4): no second order into the same book, and for half
// a minute after a partial one only orders for whole positions.

/** After an order for a part of a position, the next ones are for all of it so long. */
export const COOLDOWN_MS = 30_000;

export interface LiquidationMemory {
  /** Until then orders are for whole positions; 0 = there was no partial one. */
  readonly cooldownUntilMs: number;
  /** Upstream time of the book that the last order of each open position went to: unlike a version it survives a restart. */
  readonly bookTimesMs: ReadonlyMap<number, number>;
}

interface WithMemory {
  /** Absent while there is nothing to remember. */
  readonly liquidation?: LiquidationMemory | undefined;
}

export function isCoolingDown({ liquidation }: WithMemory, nowMs: number): boolean {
  return liquidation !== undefined && nowMs < liquidation.cooldownUntilMs;
}

/** True when an order was sent into this book, or into a newer one. */
export function hasTried({ liquidation }: WithMemory, asset: number, bookTimeMs: number): boolean {
  return bookTimeMs <= (liquidation?.bookTimesMs.get(asset) ?? Number.NEGATIVE_INFINITY);
}
