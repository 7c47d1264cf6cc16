// What stands where data is not there: on its way, absent, or refused.
import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/answer.ts';
import type { Asked } from './useAnswer.ts';

/** Lines of the size of what comes; readers hear that it is on its way. */
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
  readonly asked: Asked<Body>;
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
