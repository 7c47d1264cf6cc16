// Points as a chart takes them that knows UTC alone and wants every second later than the one before it.

/**
 * @param points oldest first; of several in a second the last is drawn
 * @param shiftMs what a moment is moved by, ms. Where clocks are set back an hour comes twice: all of it is drawn at its beginning
 */
export function drawnPoints(
  points: readonly (readonly [timeMs: number, value: string])[],
  shiftMs: (timeMs: number) => number,
): readonly (readonly [second: number, value: number])[] {
  const drawn = new Map<number, number>();
  let newest = 0;
  for (const [timeMs, value] of points) {
    newest = Math.max(newest, Math.floor((timeMs + shiftMs(timeMs)) / 1_000));
    drawn.set(newest, Number(value));
  }
  return [...drawn];
}
