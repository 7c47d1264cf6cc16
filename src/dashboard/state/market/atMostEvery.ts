// Of values that come faster than they are worth drawing, the newest, at most so often.

/** @returns hands the newest value over: at once after a pause, else when the time has passed. `end` drops what waits */
export function atMostEvery<T>(everyMs: number, show: (value: T) => void): { give(value: T): void; end(): void } {
  let shownMs = Number.NEGATIVE_INFINITY;
  let waiting: { readonly value: T } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    if (waiting === undefined) return;
    const { value } = waiting;
    waiting = undefined;
    shownMs = performance.now();
    show(value);
  };
  return {
    give(value) {
      waiting = { value };
      timer ??= setTimeout(flush, Math.max(0, shownMs + everyMs - performance.now()));
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
      waiting = undefined;
    },
  };
}
