// A question before an act. The browser's own dialog keeps the focus inside and gives it back to the opener.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSending } from './forms/useSending.ts';

interface Props {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Of the button that does it. */
  readonly act: string;
  /** The word that has to be typed first, for acts that destroy. */
  readonly word?: string;
  readonly isDangerous?: boolean;
  /** Done once for a click, with what the dialog's fields hold; an error is shown and the dialog stays. */
  readonly onAct: (data: FormData) => Promise<unknown>;
  readonly onClose: () => void;
}

export function Dialog({ title, children, act, word, isDangerous, onAct, onClose }: Props) {
  const frame = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const { isSending, error, submit } = useSending(async (data) => {
    await onAct(data);
    frame.current?.close();
  });
  useEffect(() => frame.current?.showModal(), []);
  return (
    <dialog ref={frame} onClose={onClose} aria-labelledby="dialogTitle">
      <form onSubmit={submit}>
        <h2 id="dialogTitle">{title}</h2>
        {children}
        {word !== undefined && (
          <label>
            Type <b>{word}</b> to go on
            <input value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} autocomplete="off" />
          </label>
        )}
        {error !== undefined && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        <div class="acts">
          <button type="button" onClick={() => frame.current?.close()}>
            Back
          </button>
          <button
            type="submit"
            class={isDangerous ? 'danger' : 'main'}
            disabled={isSending || (word !== undefined && typed !== word)}
          >
            {act}
          </button>
        </div>
      </form>
    </dialog>
  );
}
