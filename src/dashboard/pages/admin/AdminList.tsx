// A list of operators, read page by page from its beginning.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Pager } from '../../parts/Pager.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';

const ROWS = 50;

interface Props<Row> {
  /** Below `/v1/admin/`, with its filters. Give the list this path as `key`, so that another one begins at its first page. */
  readonly path: string;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ComponentChildren;
}

export function AdminList<Row>({ path, caption, columns, keyOf, empty }: Props<Row>) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const asked = useAnswer<{ readonly items: readonly Row[]; readonly next_cursor: string | null }>(
    `/v1/admin/${path}${path.includes('?') ? '&' : '?'}limit=${ROWS}${at}`,
  );
  return (
    <Shown asked={asked} lines={8}>
      {({ items, next_cursor: next }) => (
        <>
          <DataTable caption={caption} columns={columns} rows={items} keyOf={keyOf} empty={empty} />
          <Pager
            {...(cursor !== undefined && { onNewer: () => setCursors(cursors.slice(0, -1)) })}
            {...(next !== null && { onOlder: () => setCursors([...cursors, next]) })}
          />
        </>
      )}
    </Shown>
  );
}
