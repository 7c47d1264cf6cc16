// Forms and dialogs: sent once for a click, with the API's refusal shown beside the button.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { failureText } from '../api/answer.ts';
import { moment } from '../domain/texts.ts';
import { nowMs } from '../state/clock.ts';
import { timeZone } from '../state/settings.ts';

interface FormProps {
  /** Of the button. */
  readonly act: string;
  readonly children: ComponentChildren;
  readonly onSubmit: (data: FormData) => Promise<void>;
}

export function Form({ act, children, onSubmit }: FormProps) {
  const { isSending, error, submit } = useSending(onSubmit);
  return (
    <form class="form" onSubmit={submit}>
      {children}
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button type="submit" class="main" disabled={isSending}>
        {act}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly autocomplete: AutoFill;
  /** The value at the beginning. The reader's input stays, however often the page is drawn again. */
  readonly value?: string;
  readonly isOptional?: boolean;
}

export function Field({ name, label, type = 'text', autocomplete, value, isOptional = false }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* The types of JSX know inputs by one type at a time. */}
      <input id={id} name={name} type={type as 'text'} autocomplete={autocomplete} required={!isOptional} defaultValue={value} />
    </div>
  );
}

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

/** A question before an act. The browser's own dialog keeps the focus inside and gives it back to the opener. */
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

/**
 * Stands while no answer to an act has come, and says until when the act may still happen. The page looks for its outcome
 * meanwhile.
 * @param props.timeMs ms since the epoch; undefined = the answer has come, or is still waited for as usual
 */
export function UnknownUntil({ timeMs }: { readonly timeMs: number | undefined }) {
  if (timeMs === undefined) return null;
  return (
    <p role="status">
      No answer: unknown until {moment(timeMs, { zone: timeZone.value, nowMs: nowMs.peek() })}. It is being looked for.
    </p>
  );
}

interface Sending {
  readonly isSending: boolean;
  /** Of the last try, while there is no other. */
  readonly error: string | undefined;
  readonly submit: (event: SubmitEvent) => void;
}

/**
 * Sends the fields of a form, once for a click: a double click comes before the button is drawn as disabled. A refusal is shown
 * in words.
 * @param send gets the form's fields; its failure is the error
 */
function useSending(send: (data: FormData) => Promise<unknown>): Sending {
  const [error, setError] = useState<string>();
  const [isSending, setIsSending] = useState(false);
  const isUnderWay = useRef(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setIsSending(true);
    setError(undefined);
    try {
      await send(new FormData(event.currentTarget as HTMLFormElement));
    } catch (failure) {
      setError(failureText(failure));
    }
    isUnderWay.current = false;
    setIsSending(false);
  };
  return { isSending, error, submit: (event) => void submit(event) };
}
