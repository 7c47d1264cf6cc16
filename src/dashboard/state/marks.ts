// The mid price of every coin, for lists.
import { signal } from '@preact/signals';
import { shownTogether } from './shownTogether.ts';
import { stream } from './stream.ts';

/** By coin, decimal text. */
export const marks = signal<Readonly<Record<string, string>>>({});

/** Follows all mids. @returns ends it */
export function followMarks(): () => void {
  const showing = shownTogether<Readonly<Record<string, string>>>((mids) => {
    marks.value = mids;
  });
  const end = stream.subscribe({ subscription: { type: 'allMids' }, onMessage: ({ data }) => showing.give(data.mids) });
  return () => {
    end();
    showing.end();
  };
}
