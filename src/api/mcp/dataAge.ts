// How old the market data is that an answer to an agent was made from: of the coins that the call names, else of all that are listed.
import type { LiveMarket } from '../../market/domain/liveMarket.ts';

/** Milliseconds, of the oldest coin; null where nothing has come yet. */
export interface DataAge {
  readonly bookMs: number | null;
  readonly markMs: number | null;
}

/** Objects and lists of a call that are looked at. */
const LOOKED_AT_MAX = 4000;

export function dataAgeOf(input: unknown, market: LiveMarket, nowMs: number): DataAge {
  const assets = namedIn(input, market);
  if (assets.size === 0) {
    const { book, context } = market.ages(nowMs);
    return { bookMs: book.oldestMs, markMs: context.oldestMs };
  }
  const books = [...assets].map((asset) => market.book(asset)?.wholeMs);
  const marks = [...assets].map((asset) => market.prices(asset)?.timeMs);
  return { bookMs: oldest(books, nowMs), markMs: oldest(marks, nowMs) };
}

function oldest(times: readonly (number | undefined)[], nowMs: number): number | null {
  let ageMs = 0;
  for (const time of times) {
    if (time === undefined) return null;
    ageMs = Math.max(ageMs, nowMs - time);
  }
  return ageMs;
}

/** Ids of the listed assets that a call names: `coin`, `asset` or `a`, at any depth. */
function namedIn(input: unknown, market: LiveMarket): ReadonlySet<number> {
  const assets = new Set<number>();
  const waiting: unknown[] = [input];
  for (let at = 0; at < waiting.length && at < LOOKED_AT_MAX; at++) {
    const value = waiting[at];
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'object') waiting.push(field);
      const asset = idOf(name, field, market);
      if (asset !== undefined) assets.add(asset);
    }
  }
  return assets;
}

function idOf(name: string, field: unknown, market: LiveMarket): number | undefined {
  if (name === 'coin' && typeof field === 'string') return market.assetOf(field)?.id;
  return (name === 'a' || name === 'asset') && typeof field === 'number' ? market.asset(field)?.id : undefined;
}
