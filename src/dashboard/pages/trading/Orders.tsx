// Open orders, and how earlier ones ended.
import { useState } from 'preact/hooks';
import type { AccountOrder, OrderPage } from '../../api/contract.ts';
import { statusWords } from '../../domain/account/orderLife.ts';
import type { OpenOrder } from '../../domain/account/wireAccount.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { Filters, filterOfAddress, HistoryEnd, queryOf, usePages } from '../../parts/account/HistoryList.tsx';
import { OrderTable } from '../../parts/account/OrderTable.tsx';
import { RunningTwaps, useTwaps } from '../../parts/account/RunningTwaps.tsx';
import { ordersNow, useAskedAgain } from '../../parts/account/useAskedAgain.ts';
import { Loading, Shown } from '../../parts/answers.tsx';
import { type Column, DataTable, Pager } from '../../parts/DataTable.tsx';
import { Dialog, UnknownUntil } from '../../parts/Form.tsx';
import { Cut, Digits, Moment, Side } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { openOrders } from '../../state/account.ts';
import { cancelOrders } from '../../state/acts.ts';

/** Between two questions for the list while orders change. */
const LOOK_MS = 5_000;
/** The filters of the list of all orders. */
const STATUSES = ['open', 'filled', 'canceled', 'rejected', 'triggered'] as const;

const COLUMNS: readonly Column<AccountOrder>[] = [
  {
    head: 'Changed',
    cell: ({ updated_at, oid }) => (
      <a href={`/orders/${oid}`} title="Life of the order">
        <Moment at={updated_at} />
      </a>
    ),
  },
  { head: 'Coin', cell: ({ coin }) => coin },
  {
    head: 'Side',
    cell: ({ side, reduce_only }) => (
      <>
        {<Side side={side} />}
        {reduce_only && <span class="quiet"> reduce-only</span>}
      </>
    ),
  },
  { head: 'Type', cell: ({ order_type }) => order_type },
  { head: 'Limit', isNumber: true, cell: ({ limit_price }) => <Digits value={limit_price} /> },
  { head: 'Filled', isNumber: true, cell: ({ filled_size }) => <Digits value={filled_size} /> },
  { head: 'Of', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Average', isNumber: true, cell: ({ average_price }) => <Cut value={average_price} /> },
  { head: 'Status', cell: ({ status, reason }) => statusWords(reason ?? status) },
];

export default function Orders() {
  const [filter, setFilter] = useState(filterOfAddress);
  const { asked, isFirst, links } = usePages<OrderPage>('orders', queryOf(filter));
  useAskedAgain(asked, isFirst ? ordersNow : undefined, LOOK_MS);
  return (
    <Shell title="Orders">
      <Twaps />
      <Open />
      <section aria-labelledby="past">
        <div class="row">
          <h2 id="past">All orders</h2>
          <Filters filter={filter} onChange={setFilter} statuses={STATUSES} />
        </div>
        <Shown asked={asked} lines={8}>
          {({ items, next_cursor: next }) => (
            <>
              <DataTable
                caption="Orders, newest first"
                columns={COLUMNS}
                rows={items}
                keyOf={({ oid }) => oid}
                empty={
                  <p>
                    No order fits, or none was sent yet. <a href="/connect">Connect a bot</a>
                  </p>
                }
              />
              <HistoryEnd next={next} />
              <Pager {...links(next)} />
            </>
          )}
        </Shown>
        <AsOf asked={asked} />
      </section>
    </Shell>
  );
}

/** TWAPs that run; nothing where none does. */
function Twaps() {
  const { twaps = [] } = useTwaps() ?? {};
  if (twaps.length === 0) return null;
  return (
    <section aria-labelledby="twaps">
      <div class="row">
        <h2 id="twaps">Running TWAPs</h2>
        <a href="/twaps">All TWAPs</a>
      </div>
      <RunningTwaps twaps={twaps} />
    </section>
  );
}

function Open() {
  const [coin, setCoin] = useState('');
  const now = openOrders.value;
  const coins = [...new Set(now?.orders.map((order) => order.coin))].sort();
  const chosen = coins.includes(coin) ? coin : '';
  const shown = now?.orders.filter((order) => chosen === '' || order.coin === chosen);
  return (
    <section aria-labelledby="open">
      <div class="row">
        <h2 id="open">Open {now && <span class="quiet">{now.orders.length}</span>}</h2>
        <CancelAll orders={shown ?? []} />
        {coins.length > 1 && (
          <label class="filter">
            Coin
            <select value={chosen} onChange={({ currentTarget }) => setCoin(currentTarget.value)}>
              <option value="">all</option>
              {coins.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {shown === undefined ? <Loading /> : <OrderTable orders={shown} />}
    </section>
  );
}

/** Cancels all open orders that are shown, after a question; sent once. */
export function CancelAll({ orders }: { readonly orders: readonly OpenOrder[] }) {
  const [asked, setAsked] = useState<readonly OpenOrder[]>();
  const [untilMs, setUntilMs] = useState<number>();
  if (orders.length === 0 && asked === undefined) return null;
  return (
    <>
      <button type="button" class="small" onClick={() => setAsked(orders)}>
        Cancel all
      </button>
      {asked && (
        <Dialog
          title={`Cancel ${asked.length} open ${asked.length === 1 ? 'order' : 'orders'}?`}
          act="Cancel all"
          isDangerous
          onAct={() => cancelOrders(asked, setUntilMs)}
          onClose={() => setAsked(undefined)}
        >
          <p>Those that are open now, stops and take-profits among them. Orders that come meanwhile stay.</p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
