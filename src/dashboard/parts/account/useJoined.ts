// A list that a question to `info` begins and the stream continues, from the journal entry that the answer included: nothing is missed
// and nothing is there twice.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { post } from '../../api/http.ts';
import { aboutAccount, exchangePath } from '../../state/chosenAccount.ts';
import { stream } from '../../state/stream.ts';

interface Kind<Body, Row> {
  /** `{type, …}` of the question. */
  readonly question: { readonly type: string };
  /** Of the channel, which sends what comes later. */
  readonly channel: string;
  readonly readAnswer: (body: Body) => readonly Row[];
  // biome-ignore lint/suspicious/noExplicitAny: each channel has a shape of its own; who subscribes knows it
  readonly readMessage: (data: any) => readonly Row[];
  /** Both lists without a repetition, in the order of the page. */
  readonly merge: (known: readonly Row[], more: readonly Row[]) => readonly Row[];
  /** Called with the rows that the stream has brought. */
  readonly onMore?: () => void;
}

export interface PagedRows<Row> {
  /** undefined until the first answer. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | undefined;
  readonly askAgain: () => void;
  /** Asks once more with other fields, and adds what comes. @returns how many rows the answer had */
  readonly askMore: (fields: object) => Promise<number>;
}

/** @param kind may be made again with each drawing; the first one counts */
export function useJoined<Body, Row>(kind: Kind<Body, Row>): PagedRows<Row> {
  const { question, channel, readAnswer, readMessage, merge, onMore } = useRef(kind).current;
  const [rows, setRows] = useState<readonly Row[]>();
  const [error, setError] = useState<Error>();
  const [turn, setTurn] = useState(0);
  const askAgain = useCallback(() => setTurn((before) => before + 1), []);
  const add = useCallback((more: readonly Row[]) => setRows((known = []) => merge(known, more)), []);

  useEffect(() => {
    const cancel = new AbortController();
    let end: (() => void) | undefined;
    const begin = async (): Promise<void> => {
      const { signal } = cancel;
      const { body, seq = 0 } = await post<Body>(exchangePath('info'), aboutAccount(question), { signal });
      if (signal.aborted) return;
      setError(undefined);
      add(readAnswer(body));
      end = stream.subscribe({
        subscription: aboutAccount({ type: channel }),
        fromSeq: seq,
        onMessage: ({ data }) => {
          add(readMessage(data));
          onMore?.();
        },
        onGap: askAgain,
      });
    };
    begin().catch((failure: Error) => {
      if (!cancel.signal.aborted) setError(failure);
    });
    return () => {
      cancel.abort();
      end?.();
    };
  }, [turn]);

  const askMore = useCallback(async (fields: object): Promise<number> => {
    const { body } = await post<Body>(exchangePath('info'), { ...aboutAccount(question), ...fields });
    const more = readAnswer(body);
    add(more);
    return more.length;
  }, []);

  return { rows, error, askAgain, askMore };
}
