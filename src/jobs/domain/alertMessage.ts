// What an alert says of a history row: a type, the time of the event and its numbers, under the names that exports use. A function of
// the row alone, so that a message that is made twice is the same.
import { isOrderEnd } from '../../actors/core/history/historyDocuments.ts';
import type { HistoryKind } from '../../actors/core/messages/command.ts';
import type { FillRow, LiquidationRow, NumberedRow, OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { AlertKind } from '../../shared/domain/alerts/alertKinds.ts';

/** Kinds of rows in which each kind of alert is found. */
export const ROWS_OF: Readonly<Record<AlertKind, readonly HistoryKind[]>> = {
  fill: ['fills', 'twapFills'],
  order_ended: ['orders'],
  liquidation: ['ledger'],
  drawdown: ['equity'],
  // Those below are in no row.
  margin: [],
  house_rule: [],
  bot_silent: [],
  trial_end: [],
  new_key: [],
  new_device: [],
};

export interface AlertMessage {
  readonly type: AlertKind;
  readonly timeMs: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** @returns undefined for a row that no alert tells of by itself: a drawdown is told of several (drawdown.ts) */
export function alertOf({ kind, row }: NumberedRow): AlertMessage | undefined {
  switch (kind) {
    case 'fills':
    case 'twapFills':
      return { type: 'fill', timeMs: row.timeMs, data: fillData(row) };
    case 'orders':
      return isOrderEnd(row) ? { type: 'order_ended', timeMs: row.timeMs, data: orderData(row) } : undefined;
    case 'ledger':
      return row.kind === 'liquidation' ? { type: 'liquidation', timeMs: row.timeMs, data: liquidationData(row) } : undefined;
    case 'funding':
    case 'twaps':
    case 'equity':
    case 'roundTrips':
      return undefined;
  }
}

const fillData = (fill: FillRow) => ({
  tid: fill.tid,
  oid: fill.oid,
  cloid: fill.cloid ?? null,
  coin: fill.coin,
  side: fill.side,
  direction: fill.direction,
  price: fill.price,
  size: fill.size,
  start_position: fill.startPosition,
  closed_pnl: fill.closedPnl,
  fee: fill.fee,
  liquidity: fill.liquidity,
  twap_id: fill.twapId ?? null,
  liquidation: fill.liquidation?.method ?? null,
});

const orderData = ({ order, status }: OrderRow) => ({
  oid: order.oid,
  cloid: order.cloid ?? null,
  coin: order.coin,
  side: order.side,
  status,
  limit_price: order.limitPrice,
  trigger_price: order.trigger?.price ?? null,
  size: order.originalSize,
  filled_size: order.filledSize,
  filled_usd: order.filledUsd ?? null,
  reduce_only: order.reduceOnly,
  twap_id: order.twapId ?? null,
});

const liquidationData = (row: LiquidationRow) => ({
  lid: row.lid,
  margin_mode: row.marginMode,
  notional: row.notional,
  account_value: row.accountValue,
  positions: row.positions.map(({ coin, signedSize }) => ({ coin, size: signedSize })),
});

/** The body of a message. @param timestamp ISO 8601 @param of where it is from; its account and entry are told beside the numbers */
export const messageBody = (
  { type, timestamp, data }: { readonly type: string; readonly timestamp: string; readonly data: object },
  of: object,
): string => JSON.stringify({ type, timestamp, data: { ...of, ...data } });
