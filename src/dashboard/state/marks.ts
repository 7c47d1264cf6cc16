// The mid price of every coin: by far the most that a page at rest is sent, so only pages that need it follow it.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { shownTogether, stream } from './stream.ts';

/** By coin, decimal text. */
export const marks = signal<Readonly<Record<string, string>>>({});

/** Follows all mids while the component is there. */
export const useMarks = (): void => useEffect(followMarks, []);

function followMarks(): () => void {
  const showing = shownTogether<Readonly<Record<string, string>>>((mids) => {
    marks.value = mids;
  });
  const end = stream.subscribe({ subscription: { type: 'allMids' }, onMessage: ({ data }) => showing.give(data.mids) });
  return () => {
    end();
    showing.end();
    marks.value = {};
  };
}
