// Fills. Each leads to what it was made of.
import type { Fill } from '../../domain/account/wireAccount.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Digits, Gain, Moment, Side, Usd } from '../numbers.tsx';

const COLUMNS: readonly Column<Fill>[] = [
  {
    head: 'Time',
    cell: ({ timeMs, tid }) => (
      <a href={`/fills/${tid}`} title="What this fill was made of">
        <Moment at={timeMs} />
      </a>
    ),
  },
  { head: 'Coin', cell: ({ coin }) => coin },
  {
    head: 'Side',
    cell: ({ side, direction }) => (
      <>
        <Side side={side} /> <span class="quiet">{direction}</span>
      </>
    ),
  },
  { head: 'Price', isNumber: true, cell: ({ price }) => <Digits value={price} /> },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Role', cell: ({ liquidity }) => liquidity },
  { head: 'Fee', isNumber: true, cell: ({ fee }) => <Usd value={fee} /> },
  { head: 'Closed PnL', isNumber: true, cell: ({ closedPnl }) => <Gain value={closedPnl} /> },
  { head: 'Order', isNumber: true, cell: ({ oid }) => <a href={`/orders/${oid}`}>{oid}</a> },
];

/** @param props.empty in place of the way to a first fill */
export function FillTable({ fills, empty }: { readonly fills: readonly Fill[]; readonly empty?: string }) {
  return (
    <DataTable
      caption="Fills, newest first"
      columns={COLUMNS}
      rows={fills}
      keyOf={({ tid }) => tid}
      empty={
        empty ?? (
          <p>
            No fill yet. <a href="/connect">Connect a bot</a> and send an order.
          </p>
        )
      }
    />
  );
}
