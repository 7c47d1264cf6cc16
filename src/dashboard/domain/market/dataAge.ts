// How old book and mark are, and whether the exchange would still trade on them.

/** The latest moments of the data, ms since the epoch, by the server's clock. */
export interface Heard {
  readonly bookMs: number | undefined;
  readonly markMs: number | undefined;
}

export interface DataAge {
  /** Of the older of the two, ms; undefined while one has not been heard of. */
  readonly ageMs: number | undefined;
  /** True when nothing is traded on data of this age. */
  readonly isStale: boolean;
}

/** @param maxAgeMs the exchange's bound; undefined while it is not known */
export function dataAge(
  { bookMs, markMs }: Heard,
  { nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number | undefined },
): DataAge {
  if (bookMs === undefined || markMs === undefined) return { ageMs: undefined, isStale: false };
  const ageMs = Math.max(0, nowMs - Math.min(bookMs, markMs));
  return { ageMs, isStale: maxAgeMs !== undefined && ageMs > maxAgeMs };
}

/** The later of two moments, where either may be unknown. */
export const laterOf = (a: number | undefined | null, b: number | undefined | null): number | undefined =>
  a == null ? (b ?? undefined) : b == null ? a : Math.max(a, b);
