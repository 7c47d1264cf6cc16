// The columns of exported rows, by kind, each with its cell of a row. Programs read columns by their names: new columns come at the end,
// and the meaning of a column changes only with EXPORT_VERSION. docs/export.md has all columns.
import type { FillRow, HistoryRows, LedgerRow, NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { Cell } from '../../api/domain/csv.ts';
import { orderType } from '../../api/domain/wireOrders.ts';

export const EXPORT_VERSION = 1;

export const ROW_KINDS = ['fills', 'orders', 'funding', 'ledger', 'equity'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const FILL: Columns<FillRow> = {
  time: ({ timeMs }) => time(timeMs),
  tid: ({ tid }) => number(tid),
  oid: ({ oid }) => number(oid),
  cloid: ({ cloid }) => text(cloid),
  coin: ({ coin }) => text(coin),
  side: ({ side }) => text(side),
  direction: ({ direction }) => text(direction),
  price: ({ price }) => number(price),
  size: ({ size }) => number(size),
  start_position: ({ startPosition }) => number(startPosition),
  fee: ({ fee }) => number(fee),
  liquidity: ({ liquidity }) => text(liquidity),
  closed_pnl: ({ closedPnl }) => number(closedPnl),
  twap_id: ({ twapId }) => number(twapId),
  liquidation: ({ liquidation }) => text(liquidation?.method),
  exact_pnl: ({ exactPnl, closedPnl }) => number(exactPnl ?? closedPnl),
};

const ORDER: Columns<OrderRow> = {
  time: ({ timeMs }) => time(timeMs),
  oid: ({ order }) => number(order.oid),
  cloid: ({ order }) => text(order.cloid),
  coin: ({ order }) => text(order.coin),
  side: ({ order }) => text(order.side),
  order_type: ({ order }) => text(orderType(order)),
  limit_price: ({ order }) => number(order.limitPrice),
  trigger_price: ({ order }) => number(order.trigger?.price),
  size: ({ order }) => number(order.originalSize),
  filled_size: ({ order }) => number(order.filledSize),
  filled_usd: ({ order }) => number(order.filledUsd),
  time_in_force: ({ order }) => text(order.timeInForce),
  reduce_only: ({ order }) => text(String(order.reduceOnly)),
  status: ({ status }) => text(status),
  placed_at: ({ order }) => time(order.placedAtMs),
  twap_id: ({ order }) => number(order.twapId),
};

const FUNDING: Columns<HistoryRows['funding']> = {
  time: ({ timeMs }) => time(timeMs),
  coin: ({ coin }) => text(coin),
  usd: ({ usd }) => number(usd),
  position: ({ signedSize }) => number(signedSize),
  rate: ({ fundingRate }) => number(fundingRate),
  hours: ({ hours }) => number(hours),
};

const LEDGER: Columns<LedgerRow> = {
  time: ({ timeMs }) => time(timeMs),
  type: ({ kind }) => text(kind),
  usd: (row) => number(row.kind === 'liquidation' ? row.paidUsd : row.usd),
  with: (row) => (row.kind === 'transfer' ? text(row.with) : null),
  number: (row) => (row.kind === 'transfer' ? number(row.number) : row.kind === 'liquidation' ? number(row.lid) : null),
  margin_mode: (row) => (row.kind === 'liquidation' ? text(row.marginMode) : null),
  notional: (row) => (row.kind === 'liquidation' ? number(row.notional) : null),
  account_value: (row) => (row.kind === 'liquidation' ? number(row.accountValue) : null),
  positions: (row) => (row.kind === 'liquidation' ? text(textOf(row.positions)) : null),
};

const EQUITY: Columns<HistoryRows['equity']> = {
  time: ({ timeMs }) => time(timeMs),
  account_value: ({ accountValue }) => number(accountValue),
  balance: ({ balance }) => number(balance),
  net_deposits: ({ netDepositsUsd }) => number(netDepositsUsd),
  open_positions: ({ openPositions }) => number(openPositions),
};

const COLUMNS: { readonly [K in RowKind]: Columns<HistoryRows[K]> } = {
  fills: FILL,
  orders: ORDER,
  funding: FUNDING,
  ledger: LEDGER,
  equity: EQUITY,
};

/** Columns beside `next`, which says where to go on after a row. */
export const columnsOf = (kind: RowKind): readonly string[] => Object.keys(COLUMNS[kind]);

/** Cells in the order of the columns. @param row of the kind */
export const cellsOf = (kind: RowKind, { row }: NumberedRow): readonly Cell[] =>
  Object.values(COLUMNS[kind] as Columns<NumberedRow['row']>).map((cell) => cell(row));

/** The same as an object. @param next where to go on after it */
export function objectOf(next: string, columns: readonly string[], cells: readonly Cell[]): Readonly<Record<string, unknown>> {
  const entries = columns.map((name, i) => [name, shownValue(cells[i] ?? null)] as const);
  return { next, ...Object.fromEntries(entries) };
}

const shownValue = (cell: Cell): unknown => (cell === null ? null : 'text' in cell ? cell.text : cell.number);

const text = (value: string | undefined): Cell => (value === undefined ? null : { text: value });
const number = (value: string | number | undefined): Cell => (value === undefined ? null : { number: value });
const time = (timeMs: number): Cell => ({ number: new Date(timeMs).toISOString() });

const textOf = (positions: Extract<LedgerRow, { kind: 'liquidation' }>['positions']): string =>
  positions.map(({ coin, signedSize }) => `${coin} ${signedSize}`).join('; ');
