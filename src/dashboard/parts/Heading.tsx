// A page's heading. It gets the focus when its page is shown, so that readers of a screen hear where they are, and names the tab.
import { useEffect, useRef } from 'preact/hooks';

export function Heading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${title} · Paper perpetuals`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}
