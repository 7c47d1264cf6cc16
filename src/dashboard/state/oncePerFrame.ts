// Of values that come faster than the screen shows them, the newest of each frame.

/** @returns hands the newest value over at the next frame; a hidden page gets it when it is seen again */
export function oncePerFrame<T>(show: (value: T) => void): (value: T) => void {
  let newest: { readonly value: T } | undefined;
  return (value) => {
    const isAsked = newest !== undefined;
    newest = { value };
    if (isAsked) return;
    requestAnimationFrame(() => {
      const shown = newest as { readonly value: T };
      newest = undefined;
      show(shown.value);
    });
  };
}
