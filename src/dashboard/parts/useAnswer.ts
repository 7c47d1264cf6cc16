// An answer of the API in a component: asked for when the component appears or the path changes, and again when wanted.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Answer } from '../api/answer.ts';
import { get } from '../api/http.ts';

export interface Asked<Body> {
  /** The newest answer; it stays while the next one is under way. */
  readonly answer: Answer<Body> | undefined;
  readonly error: Error | undefined;
  readonly isAsking: boolean;
  readonly askAgain: () => void;
}

/** @param path undefined asks nothing; @param options.everyMs asks again after this long, ms */
export function useAnswer<Body>(path: string | undefined, { everyMs }: { everyMs?: number } = {}): Asked<Body> {
  const [answer, setAnswer] = useState<Answer<Body>>();
  const [error, setError] = useState<Error>();
  const [isAsking, setIsAsking] = useState(path !== undefined);
  const [turn, setTurn] = useState(0);
  const askAgain = useCallback(() => setTurn((before) => before + 1), []);

  useEffect(() => {
    if (path === undefined) return;
    const cancel = new AbortController();
    setIsAsking(true);
    get<Body>(path, { signal: cancel.signal })
      .then((next) => {
        setAnswer(next);
        setError(undefined);
        setIsAsking(false);
      })
      .catch((failure: Error) => {
        if (cancel.signal.aborted) return;
        setError(failure);
        setIsAsking(false);
      });
    const timer = everyMs === undefined ? undefined : setTimeout(askAgain, everyMs);
    return () => {
      cancel.abort();
      clearTimeout(timer);
    };
  }, [path, turn, everyMs]);

  return { answer, error, isAsking, askAgain };
}
