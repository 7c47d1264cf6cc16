// Every fill, page by page, of a coin or of a stretch of time; without a filter the newest come by themselves on the first page.
import { useState } from 'preact/hooks';
import type { FillPage } from '../../api/contract.ts';
import { type Fill, readFillItem } from '../../domain/account/wireAccount.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { FillTable } from '../../parts/account/FillTable.tsx';
import { Filters, filterOfAddress, HistoryEnd, isFiltered, queryOf, usePages } from '../../parts/account/HistoryList.tsx';
import { Loading, Shown } from '../../parts/answers.tsx';
import { Pager } from '../../parts/DataTable.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { fills } from '../../state/fills.ts';

export default function Fills() {
  const [filter, setFilter] = useState(filterOfAddress);
  const asksFirst = isFiltered(filter);
  const { asked, isFirst, links } = usePages<FillPage>('fills', queryOf(filter), { asksFirst });
  return (
    <Shell title="Fills">
      <Filters filter={filter} onChange={setFilter} hasTimes />
      {isFirst && !asksFirst ? (
        <Newest links={links} />
      ) : (
        <>
          <Shown asked={asked} lines={8}>
            {({ items, next_cursor: next }) => (
              <>
                <FillTable
                  fills={items.map((item) => readFillItem(item, Date.parse(item.time)))}
                  {...(asksFirst && { empty: 'No fill fits.' })}
                />
                <HistoryEnd next={next} />
                <Pager {...links(next)} />
              </>
            )}
          </Shown>
          <AsOf asked={asked} />
        </>
      )}
    </Shell>
  );
}

function Newest({ links }: { readonly links: ReturnType<typeof usePages>['links'] }) {
  const now = fills.value;
  if (now === undefined) return <Loading lines={8} />;
  const rows: readonly Fill[] = now.rows.map(({ row }) => row);
  return (
    <>
      <FillTable fills={rows} />
      {rows.length > 0 && <HistoryEnd next={now.nextCursor} />}
      <Pager {...links(now.nextCursor)} />
    </>
  );
}
