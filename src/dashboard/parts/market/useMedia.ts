// Whether the screen is as a media query says, also after it has changed.
import { useEffect, useState } from 'preact/hooks';

export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = (): void => setFits(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return fits;
}
