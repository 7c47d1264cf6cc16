// Open positions. How far the liquidation is stands beside its price.
import { liquidationDistance } from '../../domain/liquidationDistance.ts';
import { percent } from '../../domain/numberText.ts';
import type { OpenPosition } from '../../domain/wire/accountState.ts';
import { marks } from '../../state/marks.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Digits, Gain, GainPercent, Side, Usd } from '../numbers.tsx';
import { ClosePosition } from './ClosePosition.tsx';

const distanceOf = ({ coin, liquidationPrice }: OpenPosition): number | undefined =>
  liquidationDistance(marks.value[coin] ?? '', liquidationPrice);

const COLUMNS: readonly Column<OpenPosition>[] = [
  { head: 'Coin', cell: ({ coin }) => coin, by: ({ coin }) => coin },
  {
    head: 'Side',
    cell: ({ side, leverage, marginMode }) => (
      <>
        <Side side={side} />{' '}
        <span class="quiet">
          {leverage}x {marginMode}
        </span>
      </>
    ),
  },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} />, by: ({ size }) => Number(size) },
  { head: 'Value', isNumber: true, cell: ({ notional }) => <Usd value={notional} />, by: ({ notional }) => Number(notional) },
  { head: 'Entry', isNumber: true, cell: ({ entryPrice }) => <Digits value={entryPrice} /> },
  { head: 'Mid', isNumber: true, cell: ({ coin }) => <Digits value={marks.value[coin] ?? null} /> },
  {
    head: 'PnL',
    isNumber: true,
    cell: ({ unrealizedPnl }) => <Gain value={unrealizedPnl} />,
    by: ({ unrealizedPnl }) => Number(unrealizedPnl),
  },
  {
    head: 'ROE',
    help: 'Return on the margin',
    isNumber: true,
    cell: ({ returnOnEquity }) => <GainPercent value={returnOnEquity} />,
    by: ({ returnOnEquity }) => Number(returnOnEquity),
  },
  { head: 'Margin', isNumber: true, cell: ({ marginUsed }) => <Usd value={marginUsed} /> },
  {
    head: 'Liquidation',
    help: 'The mark at which the position is liquidated, and how far it is',
    isNumber: true,
    cell: (position) => {
      const distance = distanceOf(position);
      return (
        <>
          <Digits value={position.liquidationPrice} />
          {distance !== undefined && <span class="quiet"> {percent(distance, { decimals: 1 })}</span>}
        </>
      );
    },
    by: (position) => distanceOf(position) ?? Number.POSITIVE_INFINITY,
  },
  {
    head: 'Funding',
    help: 'Paid since the position was opened',
    isNumber: true,
    cell: ({ fundingPaid }) => <Usd value={fundingPaid} />,
  },
  { head: '', cell: (position) => <ClosePosition position={position} /> },
];

export function PositionTable({ positions }: { readonly positions: readonly OpenPosition[] }) {
  return (
    <DataTable
      caption="Open positions"
      columns={COLUMNS}
      rows={positions}
      keyOf={({ coin }) => coin}
      empty={
        <p>
          No position. <a href="/connect">Connect a bot</a> to open one.
        </p>
      }
    />
  );
}
