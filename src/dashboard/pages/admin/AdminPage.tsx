// The frame of operators' pages with the links between them, and the list that several of them have. A user without the role
// reads that the page is for operators, and no data is asked for.
import { user } from '../../state/chosenAccount.ts';
import '../../styles/admin.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Loading, Shown, useAnswer } from '../../parts/answers.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { address } from '../../state/route.ts';

const LINKS = [
  ['/admin', 'Exchange'],
  ['/admin/users', 'Users'],
  ['/admin/invoices', 'Invoices'],
  ['/admin/discounts', 'Discount codes'],
  ['/admin/shards', 'Shards'],
  ['/admin/jobs', 'Jobs'],
  ['/admin/quarantine', 'Halted and parked'],
  ['/admin/audit', 'Acts'],
] as const;

export function AdminPage({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const roles = user.value?.roles;
  const here = address.value.replace(/\?.*$/, '');
  return (
    <Shell title={title}>
      {roles === undefined && <Loading lines={6} />}
      {roles?.includes('operator') === false && <p class="empty">Only operators have this page.</p>}
      {roles?.includes('operator') && (
        <>
          <nav class="subpages" aria-label="Pages of operators">
            {LINKS.map(([to, name]) => (
              <a
                key={to}
                href={to}
                aria-current={here === to || (to !== '/admin' && here.startsWith(`${to}/`)) ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
          {children}
        </>
      )}
    </Shell>
  );
}

const ROWS = 50;

interface Props<Row> {
  /** Below `/v1/admin/`, with its filters. Give the list this path as `key`, so that another one begins at its first page. */
  readonly path: string;
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly empty: ComponentChildren;
}

/** A list of operators, read page by page from its beginning. */
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
