// Copies a text. Its label says the outcome, for eyes and readers.
import { useState } from 'preact/hooks';

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return (
    <button type="button" class="copy" onClick={copy} onBlur={() => setState('ready')}>
      <span aria-live="polite">{state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it and copy' : label}</span>
    </button>
  );
}
