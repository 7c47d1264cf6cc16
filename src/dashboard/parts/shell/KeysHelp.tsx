// The list of the page's keys.
import { useEffect, useRef } from 'preact/hooks';
import { PLACES } from '../../domain/shortcuts.ts';

export default function KeysHelp({ onClose }: { readonly onClose: () => void }) {
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
