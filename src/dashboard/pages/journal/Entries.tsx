// The entries of a journal's file, page by page: the file is read for a page when the page is shown.
import { useEffect, useState } from 'preact/hooks';
import { eventText } from '../../domain/journalLine.ts';
import { Loading } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { entriesAt, type JournalView, type Places, VIEWS } from './readJournal.ts';
import '../../styles/journal.css';

const ROWS_OF_PAGE = 50;
/** Events of an entry that are shown as sentences; the text of the line has all of them. */
const EVENTS_SHOWN = 12;
/** Characters of a line that are shown: a state in it may have megabytes. */
const TEXT_MAX = 20_000;

type Row = Awaited<ReturnType<typeof entriesAt>>[number];

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Entry', cell: ({ seq }) => seq, isNumber: true },
  { head: 'Time', cell: ({ timeMs }) => <Moment at={timeMs} /> },
  {
    head: 'What happened',
    cell: ({ events, text }) => (
      <>
        {events.slice(0, EVENTS_SHOWN).map((event, i) => (
          <div key={i}>{eventText(event)}</div>
        ))}
        {events.length > EVENTS_SHOWN && <div class="quiet">and {events.length - EVENTS_SHOWN} more events</div>}
        {events.length === 0 && <span class="quiet">no event</span>}
        <details>
          <summary>As it stands in the file</summary>
          <code class="journalText">{text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)} …` : text}</code>
        </details>
      </>
    ),
  },
  { head: 'Balance', cell: ({ balance }) => (balance === undefined ? '–' : <Usd value={balance} />), isNumber: true },
];

export function Entries({ file, places }: { readonly file: Blob; readonly places: Places }) {
  const [view, setView] = useState<JournalView>('all entries');
  const [page, setPage] = useState(0);
  const [rows, setRows] = useState<readonly Row[]>();
  const [failure, setFailure] = useState<string>();
  const count = places[view].length / 2;
  const pages = Math.max(1, Math.ceil(count / ROWS_OF_PAGE));
  useEffect(() => {
    let isShown = true;
    const wanted = places[view].slice(2 * page * ROWS_OF_PAGE, 2 * (page + 1) * ROWS_OF_PAGE);
    entriesAt(file, wanted).then(
      (read) => isShown && setRows(read),
      (error: unknown) => isShown && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isShown = false;
    };
  }, [file, places, view, page]);
  const go = (to: number): void => setPage(Math.max(0, Math.min(pages - 1, to)));
  return (
    <section aria-labelledby="entries">
      <h2 id="entries">Entries</h2>
      <Tabs
        legend="Which entries"
        choices={VIEWS}
        chosen={view}
        onChoose={(chosen) => {
          setView(chosen);
          setPage(0);
        }}
      />
      {failure !== undefined && <p role="alert">The file cannot be read any more: {failure}</p>}
      {rows === undefined ? (
        <Loading lines={6} />
      ) : (
        <DataTable caption="Entries" columns={COLUMNS} rows={rows} keyOf={({ seq }) => seq} empty="No such entry." />
      )}
      {pages > 1 && (
        <nav class="pager" aria-label="Pages of entries">
          <span class="quiet">
            Page {page + 1} of {pages}
          </span>
          <button type="button" disabled={page === 0} onClick={() => go(0)}>
            First
          </button>
          <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
            Before
          </button>
          <button type="button" disabled={page === pages - 1} onClick={() => go(page + 1)}>
            Next
          </button>
          <button type="button" disabled={page === pages - 1} onClick={() => go(pages - 1)}>
            Last
          </button>
        </nav>
      )}
    </section>
  );
}
