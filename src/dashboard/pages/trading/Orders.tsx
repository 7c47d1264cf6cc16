// Open orders, and how earlier ones ended.
import { useState } from 'preact/hooks';
import { OrderTable } from '../../parts/account/OrderTable.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Digits, Moment, Side } from '../../parts/numbers.tsx';
import { Pager } from '../../parts/Pager.tsx';
import { Shell } from '../../parts/Shell.tsx';
import { Loading, Shown } from '../../parts/states.tsx';
import { useAnswer } from '../../parts/useAnswer.ts';
import { openOrders } from '../../state/orders.ts';
import { exchangePath } from '../../state/paths.ts';

interface OrderItem {
  readonly oid: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  readonly order_type: string;
  readonly limit_price: string;
  readonly trigger_price: string | null;
  readonly size: string;
  readonly filled_size: string;
  readonly average_price: string | null;
  readonly status: string;
  readonly reason: string | null;
  readonly updated_at: string;
}

interface OrderPage {
  readonly items: readonly OrderItem[];
  readonly next_cursor: string | null;
}

const COLUMNS: readonly Column<OrderItem>[] = [
  {
    head: 'Changed',
    cell: ({ updated_at, oid }) => (
      <a href={`/orders/${oid}`} title="Life of the order">
        <Moment at={updated_at} />
      </a>
    ),
  },
  { head: 'Coin', cell: ({ coin }) => coin },
  { head: 'Side', cell: ({ side }) => <Side side={side} /> },
  { head: 'Type', cell: ({ order_type }) => order_type },
  { head: 'Limit', isNumber: true, cell: ({ limit_price }) => <Digits value={limit_price} /> },
  { head: 'Filled', isNumber: true, cell: ({ filled_size }) => <Digits value={filled_size} /> },
  { head: 'Of', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Average', isNumber: true, cell: ({ average_price }) => <Digits value={average_price} /> },
  { head: 'Status', cell: ({ status, reason }) => <span title={reason ?? ''}>{status}</span> },
];

export default function Orders() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const [coin, setCoin] = useState('');
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({ limit: '50', ...(cursor && { cursor }), ...(coin && { coin }) });
  const past = useAnswer<OrderPage>(exchangePath(`account/orders?${query}`));
  return (
    <Shell title="Orders">
      <section aria-labelledby="open">
        <h2 id="open">Open</h2>
        {openOrders.value === undefined ? <Loading /> : <OrderTable orders={openOrders.value.orders} />}
      </section>
      <section aria-labelledby="past">
        <div class="row">
          <h2 id="past">All orders</h2>
          <label class="filter">
            Coin
            <input
              value={coin}
              placeholder="all"
              onChange={({ currentTarget }) => {
                setCursors([]);
                setCoin(currentTarget.value.trim().toUpperCase());
              }}
            />
          </label>
        </div>
        <Shown asked={past} lines={8}>
          {({ items, next_cursor: next }) => (
            <DataTable
              caption="Orders, newest first"
              columns={COLUMNS}
              rows={items}
              keyOf={({ oid }) => oid}
              empty={<p>No order yet.</p>}
            >
              <Pager
                {...(cursors.length > 0 && { onNewer: () => setCursors(cursors.slice(0, -1)) })}
                {...(next !== null && { onOlder: () => setCursors([...cursors, next]) })}
              />
            </DataTable>
          )}
        </Shown>
      </section>
    </Shell>
  );
}
