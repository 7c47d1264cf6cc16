// Keys that lead to pages: `g`, then a letter, as in mail and code hosting programs. `?` shows the list.

/** Letters after `g`, and where they lead. */
export const PLACES: ReadonlyMap<string, { readonly to: string; readonly name: string }> = new Map([
  ['o', { to: '/overview', name: 'Overview' }],
  ['m', { to: '/markets', name: 'Market' }],
  ['p', { to: '/positions', name: 'Positions' }],
  ['r', { to: '/orders', name: 'Orders' }],
  ['f', { to: '/fills', name: 'Fills' }],
  ['k', { to: '/keys', name: 'API keys' }],
  ['a', { to: '/account', name: 'Account' }],
]);

/** A `g` waits so long for its letter, ms. */
const WAIT_MS = 1_500;

export type KeyMeaning = { readonly type: 'go'; readonly to: string } | { readonly type: 'help' } | { readonly type: 'wait' };

/**
 * @param before when `g` was pressed, ms; undefined = it was not the last key
 * @returns undefined for a key without a meaning here
 */
export function meaningOf(key: string, { before, nowMs }: { before: number | undefined; nowMs: number }): KeyMeaning | undefined {
  if (before !== undefined && nowMs - before <= WAIT_MS) {
    const place = PLACES.get(key);
    if (place !== undefined) return { type: 'go', to: place.to };
  }
  if (key === 'g') return { type: 'wait' };
  return key === '?' ? { type: 'help' } : undefined;
}
