// The page's one socket, opened with the session and closed with it, and the pace at which its news are shown.

import { batch } from '@preact/signals';
import { StreamSocket } from '../api/streamSocket.ts';

export const stream = new StreamSocket(`${location.origin.replace(/^http/, 'ws')}/v1/exchanges/perpx/ws`);

const SHOWN_EVERY_MS = 500;

const due: (() => void)[] = [];
let shownMs = Number.NEGATIVE_INFINITY;
let isPlanned = false;

interface Showing<T> {
  give(value: T): void;
  /** Drops what waits. */
  end(): void;
}

/**
 * Shows the news of the stream at most twice a second, as often as the venue's own books come, all of it together: each drawing
 * of a page costs as much as a hundred messages. The first message after a pause is shown at once.
 * @param show gets the newest value: after a pause at once, else when the time has passed
 */
export function shownTogether<T>(show: (value: T) => void): Showing<T> {
  let newest: { readonly value: T } | undefined;
  const publish = (): void => {
    if (newest === undefined) return;
    const { value } = newest;
    newest = undefined;
    show(value);
  };
  return {
    give(value) {
      if (newest === undefined) due.push(publish);
      newest = { value };
      plan();
    },
    end() {
      newest = undefined;
    },
  };
}

function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setTimeout(showAll, Math.max(0, shownMs + SHOWN_EVERY_MS - performance.now()));
}

function showAll(): void {
  isPlanned = false;
  shownMs = performance.now();
  batch(() => {
    for (const publish of due.splice(0)) publish();
  });
}
