// Open orders: parents with the orders that wait for them below.

import { useState } from 'preact/hooks';
import { asTree, type OpenOrder, type OrderInTree } from '../../domain/account/wireAccount.ts';
import { cancelOrders } from '../../state/acts.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Dialog, UnknownUntil } from '../Form.tsx';
import { Digits, Moment, Side } from '../numbers.tsx';

const COLUMNS: readonly Column<OrderInTree>[] = [
  {
    head: 'Placed',
    cell: ({ order: { placedMs, oid }, depth }) => (
      <>
        <Indent depth={depth} />
        <a href={`/orders/${oid}`} title="Why it is open">
          <Moment at={placedMs} />
        </a>
      </>
    ),
  },
  { head: 'Coin', cell: ({ order }) => order.coin },
  {
    head: 'Side',
    cell: ({ order }) => (
      <>
        <Side side={order.side} />
        {order.reduceOnly && <span class="quiet"> reduce-only</span>}
      </>
    ),
  },
  {
    head: 'Type',
    cell: ({ order: { type, timeInForce } }) => (
      <>
        {type} {timeInForce !== null && <span class="quiet">{timeInForce}</span>}
      </>
    ),
  },
  { head: 'Price', isNumber: true, cell: ({ order }) => <Digits value={order.limitPrice} /> },
  {
    head: 'Trigger',
    cell: ({ order, depth }) =>
      (order.triggerCondition !== null || depth > 0) && (
        <>
          {order.triggerCondition} {depth > 0 && <span class="quiet">after its parent</span>}
        </>
      ),
  },
  {
    head: 'Left',
    isNumber: true,
    cell: ({ order }) => (order.isForPosition && Number(order.size) === 0 ? 'position' : <Digits value={order.sizeLeft} />),
  },
  {
    head: 'Of',
    isNumber: true,
    cell: ({ order }) => (order.isForPosition && Number(order.size) === 0 ? '' : <Digits value={order.size} />),
  },
  { head: '', cell: ({ order }) => <CancelOrder order={order} /> },
];

export function OrderTable({ orders }: { readonly orders: readonly OpenOrder[] }) {
  return (
    <DataTable
      caption="Open orders"
      columns={COLUMNS}
      rows={asTree(orders)}
      keyOf={({ order }) => order.oid}
      empty={<p>No open order.</p>}
    />
  );
}

function Indent({ depth }: { readonly depth: number }) {
  return depth === 0 ? null : (
    <span class="indent" aria-hidden="true">
      {'└ '.padStart(2 * depth)}
    </span>
  );
}

/** Cancels an open order, after a question; sent once. */
export function CancelOrder({ order }: { readonly order: OpenOrder }) {
  const [isAsked, setIsAsked] = useState(false);
  const [untilMs, setUntilMs] = useState<number>();
  const { coin, side, size, limitPrice } = order;
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Cancel
      </button>
      {isAsked && (
        <Dialog
          title="Cancel the order?"
          act="Cancel it"
          onAct={() => cancelOrders([order], setUntilMs)}
          onClose={() => setIsAsked(false)}
        >
          <p>
            {side} {size} {coin} at {limitPrice}
          </p>
          <UnknownUntil timeMs={untilMs} />
        </Dialog>
      )}
    </>
  );
}
