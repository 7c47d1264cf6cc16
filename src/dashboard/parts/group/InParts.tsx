// A report of which one request reads so much: its parts are read one after the other, each from where the one before ended, and then again
// from the beginning.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Shown } from '../states.tsx';
import { useAnswer } from '../useAnswer.ts';

interface Props<Report> {
  /** Of the first part. */
  readonly path: string;
  /** Lines that stand there until it has come. */
  readonly lines: number;
  /** What the two buttons are called. */
  readonly goOn: string;
  readonly again: string;
  readonly children: (report: Report) => ComponentChildren;
}

export function InParts<Report extends { readonly next: string | null }>({ path, lines, goOn, again, children }: Props<Report>) {
  const [since, setSince] = useState<string>();
  const asked = useAnswer<Report>(since === undefined ? path : `${path}&since=${since}`);
  return (
    <>
      <Shown asked={asked} lines={lines}>
        {(report) => (
          <>
            {children(report)}
            {report.next !== null && (
              <button type="button" disabled={asked.isAsking} onClick={() => setSince(report.next ?? undefined)}>
                {goOn}
              </button>
            )}
          </>
        )}
      </Shown>
      <button
        type="button"
        disabled={asked.isAsking}
        onClick={() => (since === undefined ? asked.askAgain() : setSince(undefined))}
      >
        {again}
      </button>
    </>
  );
}
