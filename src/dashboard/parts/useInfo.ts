// An `info` answer in a component.
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Answer } from '../api/answer.ts';
import { post } from '../api/http.ts';
import { exchangePath } from '../state/paths.ts';
import type { Asked } from './useAnswer.ts';

/** @param question `{type, …}`; another question is asked at once, a changed `turn` asks the same again */
export function useInfo<Body>(question: object, turn: unknown = 0): Asked<Body> {
  const [answer, setAnswer] = useState<Answer<Body>>();
  const [error, setError] = useState<Error>();
  const [isAsking, setIsAsking] = useState(true);
  const [again, setAgain] = useState(0);
  const askAgain = useCallback(() => setAgain((before) => before + 1), []);
  const text = JSON.stringify(question);

  useEffect(() => {
    const cancel = new AbortController();
    setIsAsking(true);
    post<Body>(exchangePath('info'), JSON.parse(text), { signal: cancel.signal })
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
    return () => cancel.abort();
  }, [text, turn, again]);

  return { answer, error, isAsking, askAgain };
}
