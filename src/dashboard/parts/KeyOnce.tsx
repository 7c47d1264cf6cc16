// A new key, shown this one time. The focus goes to Copy, because the key is gone with the page.
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from './CopyButton.tsx';

export function KeyOnce({ apiKey }: { readonly apiKey: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.querySelector('button')?.focus(), [apiKey]);
  return (
    <div ref={frame} class="once" role="status">
      <p>Your key. It is shown this once:</p>
      <code>{apiKey}</code> <CopyButton text={apiKey} />
    </div>
  );
}
