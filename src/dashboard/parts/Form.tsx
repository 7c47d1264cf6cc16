// Forms: sent once for a click, with the API's refusal shown beside the button.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useSending } from './forms/useSending.ts';

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
  /** What it begins with. What is typed stays, however often the page is drawn anew. */
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
