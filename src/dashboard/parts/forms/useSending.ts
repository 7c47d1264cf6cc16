// Sends what a form holds, once for a click: a double click comes before the button is drawn as disabled. A refusal is told in words.
import { useRef, useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';

interface Sending {
  readonly isSending: boolean;
  /** Of the last try, while there is no other. */
  readonly error: string | undefined;
  readonly submit: (event: SubmitEvent) => void;
}

/** @param send is given the form's fields; what it throws is the error */
export function useSending(send: (data: FormData) => Promise<unknown>): Sending {
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
