// A table of rows with named columns: a real table for readers, which becomes a list of terms where the screen is narrow. The
// reader may sort by columns that say how. A long list is shown page by page.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** More rows at once cost the browser more than they tell. */
const ROWS_OF_PAGE = 50;

export interface Column<Row> {
  /** Empty for buttons. */
  readonly head: string;
  /** Explains the figure, on hovering and to readers. */
  readonly help?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** The column is sorted by this value; absent = not sortable. */
  readonly by?: (row: Row) => number | string;
  /** Numbers stand at the right, so that their digits are below each other. */
  readonly isNumber?: boolean;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Shown in place of the table when there are no rows. */
  readonly empty: ComponentChildren;
  /** Sums and notes below the rows. */
  readonly foot?: ComponentChildren;
  readonly children?: ComponentChildren;
}

interface Order {
  readonly column: number;
  readonly isFalling: boolean;
}

export function DataTable<Row>({ caption, columns, rows, keyOf, empty, foot, children }: Props<Row>) {
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const [wanted, setPage] = useState(0);
  const pages = Math.ceil(rows.length / ROWS_OF_PAGE);
  // Rows may have gone since the page was chosen.
  const page = Math.max(0, Math.min(wanted, pages - 1));
  const frame = useRef<HTMLDivElement>(null);
  const isCut = useIsCut(frame, rows.length > 0);
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  const shown = sorted(rows, columns, order).slice(page * ROWS_OF_PAGE, (page + 1) * ROWS_OF_PAGE);
  const sortBy = (column: number): void => setOrder({ column, isFalling: order?.column === column ? !order.isFalling : true });
  return (
    <div
      ref={frame}
      class="tableFrame"
      {...(isCut && { tabIndex: 0, role: 'region', 'aria-label': `${caption}, scrolled sideways` })}
    >
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, help, by, isNumber }, i) => (
              <th
                key={head}
                scope="col"
                class={isNumber ? 'number' : ''}
                title={help}
                aria-sort={order?.column === i ? (order.isFalling ? 'descending' : 'ascending') : undefined}
              >
                {by === undefined ? (
                  head || <span class="unseen">Acts</span>
                ) : (
                  <button type="button" class="sort" onClick={() => sortBy(i)}>
                    {head}
                    <span aria-hidden="true">{order?.column === i ? (order.isFalling ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, isNumber }) => (
                <td key={head} data-head={head} class={isNumber ? 'number' : head === '' ? 'act' : ''}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {pages > 1 && (
        <nav class="pager" aria-label={`Pages of: ${caption}`}>
          <span class="quiet">
            {page * ROWS_OF_PAGE + 1} to {Math.min(rows.length, (page + 1) * ROWS_OF_PAGE)} of {rows.length}
          </span>
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Before
          </button>
          <button type="button" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </nav>
      )}
      {foot && <div class="tableFoot">{foot}</div>}
      {children}
    </div>
  );
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined): readonly Row[] {
  const by = order && columns[order.column]?.by;
  if (by === undefined) return rows;
  const rising = [...rows].sort((a, b) => {
    const [x, y] = [by(a), by(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  });
  return order?.isFalling ? rising.reverse() : rising;
}

/**
 * True while an element shows a part of its content only and is scrolled sideways: readers without a mouse have to reach it.
 * @param isShown false while there is no element
 */
function useIsCut(element: RefObject<HTMLElement | null>, isShown: boolean): boolean {
  const [isCut, setIsCut] = useState(false);
  useEffect(() => {
    const frame = element.current;
    if (!isShown || frame === null) return;
    const observer = new ResizeObserver(() => setIsCut(frame.scrollWidth > frame.clientWidth));
    observer.observe(frame);
    if (frame.firstElementChild !== null) observer.observe(frame.firstElementChild);
    return () => observer.disconnect();
  }, [isShown]);
  return isCut;
}

interface PagerProps {
  /** Absent on the first page. */
  readonly onNewer?: () => void;
  /** Absent on the last page. */
  readonly onOlder?: () => void;
}

export function Pager({ onNewer, onOlder }: PagerProps) {
  if (onNewer === undefined && onOlder === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" disabled={onNewer === undefined} onClick={onNewer}>
        Newer
      </button>
      <button type="button" disabled={onOlder === undefined} onClick={onOlder}>
        Older
      </button>
    </nav>
  );
}
