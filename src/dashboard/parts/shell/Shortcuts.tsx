// The keys of the page, and the dialog that lists them. Off in fields, in dialogs, and with Ctrl, Alt or Meta.
import { useEffect, useRef, useState } from 'preact/hooks';
import { accessToken } from '../../api/browserSession.ts';
import { meaningOf, PLACES } from '../../domain/shortcuts.ts';
import { navigate } from '../../state/route.ts';

export function Shortcuts() {
  const [isHelpShown, setIsHelpShown] = useState(false);
  useEffect(() => {
    let before: number | undefined;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const isTyping = (target as Element | null)?.closest('input, select, textarea, dialog, [contenteditable]') != null;
      if (ctrlKey || metaKey || altKey || isTyping || accessToken.value === undefined) return;
      const meaning = meaningOf(key, { before, nowMs: performance.now() });
      before = meaning?.type === 'wait' ? performance.now() : undefined;
      if (meaning?.type === 'go') navigate(meaning.to);
      if (meaning?.type === 'help') setIsHelpShown(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return isHelpShown ? <Help onClose={() => setIsHelpShown(false)} /> : null;
}

function Help({ onClose }: { readonly onClose: () => void }) {
  const frame = useRef<HTMLDialogElement>(null);
  useEffect(() => frame.current?.showModal(), []);
  return (
    <dialog ref={frame} onClose={onClose} aria-labelledby="keysTitle">
      <h2 id="keysTitle">Keys</h2>
      <dl class="keys">
        {[...PLACES].map(([letter, { name }]) => (
          <div key={letter}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>These keys</dd>
        </div>
      </dl>
      <div class="acts">
        <button type="button" onClick={() => frame.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}
