// An answer of the API in a component: asked for when the component appears or the question changes, and again when wanted.

import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Answer, ApiError } from '../api/answer.ts';
import { get, post } from '../api/http.ts';
import { exchangePath } from '../state/chosenAccount.ts';

export interface PolledAnswer<Body> {
  /** The newest answer; it stays while the next one is under way, that to another question unless `hidesOthers`. */
  readonly answer: Answer<Body> | undefined;
  readonly error: Error | undefined;
  readonly isAsking: boolean;
  readonly askAgain: () => void;
}

/** An answer that the server cannot give now is asked for again so long after the moment that it says, ms. */
const RETRY_MS = 10_000;

interface AnswerOptions {
  /** Asks again after this long, ms. */
  readonly everyMs?: number;
  /** A status that is no refusal, but an answer of the same shape. */
  readonly alsoStatus?: number;
  /** An answer to an earlier question, of another period for example, is no answer to this one. */
  readonly hidesOthers?: boolean;
}

/** A GET. @param path undefined asks nothing */
export function useAnswer<Body>(path: string | undefined, options: AnswerOptions = {}): PolledAnswer<Body> {
  const ask = useCallback((signal: AbortSignal) => get<Body>(path ?? '', { ...options, signal }), [path]);
  return useAsked(path === undefined ? undefined : ask, options);
}

/** A question to `info`. @param question `{type, …}`, undefined asks nothing; a changed `turn` asks the same again */
export function useInfo<Body>(
  question: object | undefined,
  turn: unknown = 0,
  options: Pick<AnswerOptions, 'everyMs'> = {},
): PolledAnswer<Body> {
  const text = question && JSON.stringify(question);
  const ask = useCallback(
    (signal: AbortSignal) => post<Body>(exchangePath('info'), JSON.parse(text ?? ''), { signal }),
    [text, turn],
  );
  return useAsked(text === undefined ? undefined : ask, options);
}

/** Asks now, and again when `ask` is another one. */
function useAsked<Body>(
  ask: ((signal: AbortSignal) => Promise<Answer<Body>>) | undefined,
  { everyMs, hidesOthers }: AnswerOptions,
): PolledAnswer<Body> {
  const [got, setGot] = useState<{ readonly of: unknown; readonly answer: Answer<Body> }>();
  const [error, setError] = useState<Error>();
  const [isAsking, setIsAsking] = useState(ask !== undefined);
  const [again, setAgain] = useState(0);
  const askAgain = useCallback(() => setAgain((before) => before + 1), []);

  useEffect(() => {
    if (ask === undefined) return;
    const cancel = new AbortController();
    let timer = everyMs === undefined ? undefined : setTimeout(askAgain, everyMs);
    setIsAsking(true);
    ask(cancel.signal)
      .then((answer) => {
        setGot({ of: ask, answer });
        setError(undefined);
        setIsAsking(false);
      })
      .catch((failure: Error & Pick<ApiError, 'retryAfterSeconds'>) => {
        if (cancel.signal.aborted) return;
        setError(failure);
        setIsAsking(false);
        if (failure.retryAfterSeconds === undefined) return;
        clearTimeout(timer);
        timer = setTimeout(askAgain, RETRY_MS + failure.retryAfterSeconds * 1_000);
      });
    return () => {
      cancel.abort();
      clearTimeout(timer);
    };
  }, [ask, again, everyMs]);

  const answer = hidesOthers && got?.of !== ask ? undefined : got?.answer;
  return { answer, error, isAsking, askAgain };
}

/** Stands where data is on its way: lines of the size of the data. Readers hear that it is on its way. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class="line" />
      ))}
    </div>
  );
}

/** A refusal in the API's words, with what helps support to find it. */
export function ErrorState({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) {
  const isRefusal = error instanceof ApiError;
  return (
    <div class="error" role="alert">
      <p>{isRefusal ? error.message : 'The server cannot be reached.'}</p>
      {isRefusal && error.requestId !== null && <p class="quiet">Request {error.requestId}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Shows an answer once it is there; an error beside an older answer leaves that visible. */
export function Shown<Body>({
  asked,
  lines,
  children,
}: {
  readonly asked: PolledAnswer<Body>;
  readonly lines?: number;
  readonly children: (body: Body) => ComponentChildren;
}) {
  const { answer, error, askAgain } = asked;
  return (
    <>
      {error && <ErrorState error={error} onRetry={askAgain} />}
      {answer === undefined && !error && <Loading {...(lines !== undefined && { lines })} />}
      {answer !== undefined && children(answer.body)}
    </>
  );
}
