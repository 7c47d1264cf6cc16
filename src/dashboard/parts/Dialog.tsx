// A question before an act. The browser's own dialog keeps the focus inside and gives it back to the opener.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { failureText } from '../api/answer.ts';

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
  const [error, setError] = useState<string>();
  const [isActing, setIsActing] = useState(false);
  const isUnderWay = useRef(false);
  useEffect(() => frame.current?.showModal(), []);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    // State is set later than a double click comes.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setIsActing(true);
    setError(undefined);
    try {
      await onAct(new FormData(event.currentTarget as HTMLFormElement));
      frame.current?.close();
    } catch (failure) {
      setError(failureText(failure));
    } finally {
      isUnderWay.current = false;
      setIsActing(false);
    }
  };
  return (
    <dialog ref={frame} onClose={onClose} aria-labelledby="dialogTitle">
      <form onSubmit={(event) => void submit(event)}>
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
            disabled={isActing || (word !== undefined && typed !== word)}
          >
            {act}
          </button>
        </div>
      </form>
    </dialog>
  );
}
