// What a fill was made of: the levels of the book that it took from, or the trade that reached the order.
import { DataTable } from '../DataTable.tsx';
import { Digits, Moment } from '../numbers.tsx';

interface Level {
  readonly px: string;
  readonly displayedSz: string;
  readonly consumedBefore: string;
  readonly takenSz: string;
}

/** `evidence` of `explainFill`, as far as the page reads it. */
export interface Evidence {
  readonly source: string;
  readonly text: string;
  readonly book: { readonly time: number; readonly version: number; readonly levels: readonly Level[] } | null;
  readonly trade: { readonly px: string; readonly sz: string; readonly side: string; readonly time: number } | null;
  readonly queueAhead: string | null;
}

export function EvidenceView({ evidence }: { readonly evidence: Evidence }) {
  const { source, text, book, trade, queueAhead } = evidence;
  return (
    <section class="evidence" aria-label="Evidence">
      <p>
        <b>{source}</b>: {text}
      </p>
      {book !== null && (
        <>
          <p class="quiet">
            Book of <Moment at={book.time} />, version {book.version}
          </p>
          <DataTable
            caption="Levels that the fill took from"
            columns={[
              { head: 'Price', isNumber: true, cell: ({ px }) => <Digits value={px} /> },
              {
                head: 'Displayed',
                help: 'What the venue’s book showed',
                isNumber: true,
                cell: ({ displayedSz }) => <Digits value={displayedSz} />,
              },
              {
                head: 'Consumed before',
                help: 'What this account had taken of it',
                isNumber: true,
                cell: ({ consumedBefore }) => <Digits value={consumedBefore} />,
              },
              { head: 'Taken', isNumber: true, cell: ({ takenSz }) => <Digits value={takenSz} /> },
            ]}
            rows={book.levels}
            keyOf={({ px }) => px}
            empty="No level."
          />
        </>
      )}
      {trade !== null && (
        <p>
          Public trade of <Digits value={trade.sz} /> at <Digits value={trade.px} />, <Moment at={trade.time} />
        </p>
      )}
      {queueAhead !== null && (
        <p>
          Ahead in the queue: <Digits value={queueAhead} />
        </p>
      )}
    </section>
  );
}
