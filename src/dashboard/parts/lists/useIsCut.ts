// Whether an element shows a part of its content only, so that it is scrolled sideways: readers without a mouse have to reach it.
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** @param isShown false while there is no element */
export function useIsCut(element: RefObject<HTMLElement | null>, isShown: boolean): boolean {
  const [isCut, setIsCut] = useState(false);
  useEffect(() => {
    const frame = element.current;
    if (!isShown || frame === null) return;
    const observer = new ResizeObserver(() => setIsCut(frame.scrollWidth > frame.clientWidth));
    observer.observe(frame);
    if (frame.firstElementChild !== null) observer.observe(frame.firstElementChild);
    return () => observer.disconnect();
  }, [isShown]);
  return isCut;
}
