// The mid price of every coin, for lists. Published once per frame, however fast it moves.
import { signal } from '@preact/signals';
import { oncePerFrame } from './oncePerFrame.ts';
import { stream } from './stream.ts';

/** By coin, decimal text. */
export const marks = signal<Readonly<Record<string, string>>>({});

/** Follows all mids. @returns ends it */
export function followMarks(): () => void {
  const publish = oncePerFrame<Readonly<Record<string, string>>>((mids) => {
    marks.value = mids;
  });
  return stream.subscribe({ subscription: { type: 'allMids' }, onMessage: ({ data }) => publish(data.mids) });
}
