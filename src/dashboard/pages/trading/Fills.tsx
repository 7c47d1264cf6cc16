// Every fill, page by page; the newest come by themselves on the first page.
import { useState } from 'preact/hooks';
import { type FillItem, readFillItem } from '../../domain/wire/fill.ts';
import { FillTable } from '../../parts/account/FillTable.tsx';
import { Pager } from '../../parts/Pager.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Loading, Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
import { fills } from '../../state/fills.ts';
import { exchangePath } from '../../state/paths.ts';

interface FillPage {
  readonly items: readonly FillItem[];
  readonly next_cursor: string | null;
}

export default function Fills() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const older = useAnswer<FillPage>(cursor && exchangePath(`account/fills?limit=50&cursor=${encodeURIComponent(cursor)}`));
  const now = fills.value;
  const onOlder = (next: string | null | undefined) => (next == null ? {} : { onOlder: () => setCursors([...cursors, next]) });
  return (
    <Shell title="Fills">
      {cursor === undefined && (now === undefined ? <Loading lines={8} /> : <FillTable fills={now.rows.map(({ row }) => row)} />)}
      {cursor === undefined && <Pager {...onOlder(now?.nextCursor)} />}
      {cursor !== undefined && (
        <Shown asked={older} lines={8}>
          {({ items, next_cursor: next }) => (
            <>
              <FillTable fills={items.map((item) => readFillItem(item, Date.parse(item.time)))} />
              <Pager onNewer={() => setCursors(cursors.slice(0, -1))} {...onOlder(next)} />
            </>
          )}
        </Shown>
      )}
    </Shell>
  );
}
