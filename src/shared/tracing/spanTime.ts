// Times of spans: the machine's clock, which spans of several processes share, told from the monotonic one, so that no span of a process
// ends before it begins.

/** How far the two may part before the machine's clock counts as set, ms. */
const APART_MS_MAX = 50;

/** @returns gives milliseconds since the epoch, with fractions, for what `performance.now()` said */
export function spanTime(): (atMs: number) => number {
  let offsetMs = Date.now() - performance.now();
  return (atMs) => {
    const apartMs = Date.now() - (offsetMs + performance.now());
    if (Math.abs(apartMs) > APART_MS_MAX) offsetMs += apartMs;
    return offsetMs + atMs;
  };
}
