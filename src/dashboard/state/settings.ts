// The reader's choices for this browser, kept in localStorage, which holds nothing secret.
import { effect, type Signal, signal } from '@preact/signals';
import { storage } from '../api/browserSession.ts';
import type { TimeZone } from '../domain/texts.ts';

export type Theme = 'system' | 'light' | 'dark';

export const theme = kept<Theme>('theme', 'system', ['system', 'light', 'dark']);
export const timeZone = kept<TimeZone>('timeZone', 'local', ['local', 'utc']);
/** The market that was looked at last. */
export const lastCoin = kept<string>('lastCoin', 'BTC');

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

/** A signal whose value is there again after a reload. A browser that keeps nothing works all the same. */
export function kept<T extends string>(name: string, first: T, allowed?: readonly T[]): Signal<T> {
  const stored = storage()?.getItem(name) as T | null | undefined;
  const isGood = stored != null && (allowed === undefined || allowed.includes(stored));
  const value = signal<T>(isGood ? stored : first);
  value.subscribe((now) => {
    if (now !== first || storage()?.getItem(name) != null) storage()?.setItem(name, now);
  });
  return value;
}
