// The pace of what a page follows: values at most so often, and only while the page is seen.

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

const HIDDEN_MS = 60_000;

/**
 * Runs a work only while the page is seen: ended when the page has been hidden for a minute, begun again when it is seen.
 * @param begin starts it and returns what ends it; it may be called again after an end @returns ends it for good
 */
export function whileShown(begin: () => () => void): () => void {
  let end: (() => void) | undefined = begin();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (!document.hidden) {
      end ??= begin();
      return;
    }
    timer = setTimeout(() => {
      end?.();
      end = undefined;
    }, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', onChange);
  onChange();
  return () => {
    document.removeEventListener('visibilitychange', onChange);
    clearTimeout(timer);
    end?.();
    end = undefined;
  };
}
