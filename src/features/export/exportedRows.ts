// The columns of exported rows, by kind, and the rows in them. Programs read them by their names: columns are added at the end, and what
// one means changes only with EXPORT_VERSION. docs/export.md has them all.
import type { FillRow, HistoryRows, LedgerRow, NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { Cell } from '../../api/domain/csv.ts';
import { orderType } from '../../api/domain/wireOrders.ts';

export const EXPORT_VERSION = 1;

export const ROW_KINDS = ['fills', 'orders', 'funding', 'ledger', 'equity'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** Columns beside `next`, which says where to go on after a row. */
export const COLUMNS: Readonly<Record<RowKind, readonly string[]>> = {
  fills: [
    ...[
      'time',
      'tid',
      'oid',
      'cloid',
      'coin',
      'side',
      'direction',
      'price',
      'size',
      'start_position',
      'fee',
      'liquidity',
      'closed_pnl',
    ],
    ...['twap_id', 'liquidation', 'exact_pnl'],
  ],
  orders: [
    ...[
      'time',
      'oid',
      'cloid',
      'coin',
      'side',
      'order_type',
      'limit_price',
      'trigger_price',
      'size',
      'filled_size',
      'filled_usd',
    ],
    ...['time_in_force', 'reduce_only', 'status', 'placed_at', 'twap_id'],
  ],
  funding: ['time', 'coin', 'usd', 'position', 'rate', 'hours'],
  ledger: ['time', 'type', 'usd', 'with', 'number', 'margin_mode', 'notional', 'account_value', 'positions'],
  equity: ['time', 'account_value', 'balance', 'net_deposits', 'open_positions'],
};

/** Cells in the order of the columns. */
export function cellsOf({ kind, row }: NumberedRow): readonly Cell[] {
  switch (kind) {
    case 'fills':
    case 'twapFills':
      return cellsOfFill(row);
    case 'orders':
      return cellsOfOrder(row);
    case 'funding':
      return [
        time(row.timeMs),
        text(row.coin),
        number(row.usd),
        number(row.signedSize),
        number(row.fundingRate),
        number(row.hours),
      ];
    case 'ledger':
      return cellsOfLedger(row);
    case 'equity':
      return [
        ...[
          time(row.timeMs),
          number(row.accountValue),
          number(row.balance),
          number(row.netDepositsUsd),
          number(row.openPositions),
        ],
      ];
    case 'twaps':
    case 'roundTrips':
      throw new Error(`${kind} are no kind of export`);
  }
}

const cellsOfFill = (fill: FillRow): readonly Cell[] => [
  ...[
    time(fill.timeMs),
    number(fill.tid),
    number(fill.oid),
    text(fill.cloid),
    text(fill.coin),
    text(fill.side),
    text(fill.direction),
  ],
  ...[
    number(fill.price),
    number(fill.size),
    number(fill.startPosition),
    number(fill.fee),
    text(fill.liquidity),
    number(fill.closedPnl),
  ],
  ...[number(fill.twapId), text(fill.liquidation?.method), number(fill.exactPnl ?? fill.closedPnl)],
];

function cellsOfOrder({ order, status, timeMs }: OrderRow): readonly Cell[] {
  const { oid, cloid, coin, side, limitPrice, trigger, originalSize, filledSize, filledUsd } = order;
  return [
    ...[time(timeMs), number(oid), text(cloid), text(coin), text(side), text(orderType(order)), number(limitPrice)],
    ...[number(trigger?.price), number(originalSize), number(filledSize), number(filledUsd), text(order.timeInForce)],
    ...[text(String(order.reduceOnly)), text(status), time(order.placedAtMs), number(order.twapId)],
  ];
}

function cellsOfLedger(row: LedgerRow): readonly Cell[] {
  const [at, type] = [time(row.timeMs), text(row.kind)];
  if (row.kind !== 'liquidation') {
    const [other, each] = row.kind === 'transfer' ? [text(row.with), number(row.number)] : [null, null];
    return [at, type, number(row.usd), other, each, null, null, null, null];
  }
  const positions = row.positions.map(({ coin, signedSize }) => `${coin} ${signedSize}`).join('; ');
  return [
    ...[at, type, number(row.paidUsd), null, number(row.lid), text(row.marginMode), number(row.notional)],
    ...[number(row.accountValue), text(positions)],
  ];
}

/** The same as an object. @param next where to go on after it */
export function objectOf(next: string, columns: readonly string[], cells: readonly Cell[]): Readonly<Record<string, unknown>> {
  const entries = columns.map((name, i) => [name, shownValue(cells[i] ?? null)] as const);
  return { next, ...Object.fromEntries(entries) };
}

const shownValue = (cell: Cell): unknown => (cell === null ? null : 'text' in cell ? cell.text : cell.number);

const text = (value: string | undefined): Cell => (value === undefined ? null : { text: value });
const number = (value: string | number | undefined): Cell => (value === undefined ? null : { number: value });
const time = (timeMs: HistoryRows['equity']['timeMs']): Cell => ({ number: new Date(timeMs).toISOString() });
