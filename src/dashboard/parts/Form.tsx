// Forms: sent once for a click, with the API's refusal shown beside the button.
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { failureText } from '../api/answer.ts';

interface FormProps {
  /** Of the button. */
  readonly act: string;
  readonly children: ComponentChildren;
  readonly onSubmit: (data: FormData) => Promise<void>;
}

export function Form({ act, children, onSubmit }: FormProps) {
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
      await onSubmit(new FormData(event.currentTarget as HTMLFormElement));
    } catch (failure) {
      setError(failureText(failure));
    } finally {
      isUnderWay.current = false;
      setIsSending(false);
    }
  };
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
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
  readonly value?: string;
  readonly isOptional?: boolean;
}

export function Field({ name, label, type = 'text', autocomplete, value, isOptional = false }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {/* The types of JSX know inputs by one type at a time. */}
      <input
        id={id}
        name={name}
        type={type as 'text'}
        autocomplete={autocomplete}
        required={!isOptional}
        {...(value !== undefined && { value })}
      />
    </div>
  );
}
