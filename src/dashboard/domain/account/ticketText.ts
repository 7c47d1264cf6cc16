// The outcome of an order that was sent, in a sentence.
interface Status {
  readonly filled?: { readonly totalSz: string; readonly avgPx: string };
  readonly resting?: object;
}

/** @param statuses of the order and its exits; none where the order was found later */
export function sentText([first]: readonly (string | Status)[]): string {
  if (first === undefined) return 'The order was placed.';
  if (typeof first === 'string') return 'The order waits for its price.';
  if (first.filled !== undefined) return `Filled ${first.filled.totalSz} at ${first.filled.avgPx}.`;
  return 'The order is open: it rests on the book or waits for its price.';
}
