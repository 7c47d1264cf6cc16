// What only a reader needs who looks: ended when the page has been hidden for a minute, begun again when it is seen.

const HIDDEN_MS = 60_000;

/** @param begin starts it and returns what ends it; it may be called again after an end @returns ends it for good */
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
