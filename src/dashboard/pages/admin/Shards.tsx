// Every shard, the busiest first: its owner, what it costs the owner's thread, and what waits, was parked or is halted.
import type { Shard, ShardList } from '../../api/contract.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
import { AdminPage } from './AdminPage.tsx';

export function Shards() {
  return (
    <AdminPage title="Shards">
      <List />
    </AdminPage>
  );
}

function List() {
  const asked = useAnswer<ShardList>('/v1/admin/shards', { everyMs: 15_000 });
  return (
    <Shown asked={asked} lines={10}>
      {({ shards }) => (
        <DataTable caption="Shards" columns={COLUMNS} rows={shards} keyOf={({ shard }) => shard} empty={<p>None.</p>} />
      )}
    </Shown>
  );
}

const count = (head: string, of: (row: Shard) => number, help?: string): Column<Shard> => ({
  ...{ head, isNumber: true, cell: of, by: of },
  ...(help !== undefined && { help }),
});

const COLUMNS: readonly Column<Shard>[] = [
  count('Shard', ({ shard }) => shard),
  {
    head: 'Owner',
    cell: ({ owner, moved_to: moved }) => <code>{`${owner ?? 'no owner'}${moved === null ? '' : ` (moved to ${moved})`}`}</code>,
  },
  count('Lease', ({ epoch }) => epoch, 'How often the shard has had an owner'),
  {
    ...{ head: 'Busy', isNumber: true, help: 'Part of its owner’s one thread', by: ({ load }) => load?.busy ?? 0 },
    cell: ({ load }) => (load === null ? '–' : `${(load.busy * 100).toFixed(1)} %`),
  },
  {
    ...{ head: 'Commands/s', isNumber: true, by: ({ load }) => load?.commands ?? 0 },
    cell: ({ load }) => (load === null ? '–' : load.commands),
  },
  count('Accounts', ({ accounts }) => accounts),
  count('Waiting', ({ waiting }) => waiting, 'Accounts with commands that wait'),
  count('Journal', ({ journal }) => journal, 'Commits that MongoDB or the archive may lack'),
  count('Parked', ({ parked }) => parked),
  count('Halted', ({ halted }) => halted),
];
