// What an alert says of a history row: a type, the time of the event and its numbers, under the names that exports use. A function of
// the row alone, so that a message that is made twice is the same.
import { isOrderEnd } from '../../../actors/core/history/historyDocuments.ts';
import type { FillRow, HistoryKind, LiquidationRow, NumberedRow, OrderRow } from '../../../actors/core/messages/historyRows.ts';
import type { AlertKind, MessageType } from './alertKinds.ts';

/**
 * Kinds of rows in which each kind of alert is found, in the order in which the alerts of one entry are told. The ids of deliveries
 * number the kinds of rows, so a new one stands after the others.
 */
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

/** @returns undefined for a row without an alert of its own: the alert of a drawdown needs several rows (thresholds.ts) */
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

// What alerts say where a person reads them, in a mail or a chat: a line for each, made of the message that a webhook gets. ASCII alone, so
// that no name of a coin or an address can write lines of its own into a mail.

/** Of a line in a mail (RFC 5322 has 998). */
const LINE_CHARS_MAX = 900;

type Data = Readonly<Record<string, unknown>>;

interface Message {
  readonly type: MessageType;
  readonly timestamp: string;
  readonly data: Data;
}

const SAYS: Readonly<Record<MessageType, (data: Data) => string>> = {
  fill: (d) =>
    `${d['side'] === 'buy' ? 'bought' : 'sold'} ${d['size']} ${d['coin']} at ${d['price']} (${d['direction']}, ${d['liquidity']}, fee ${d['fee']}, closed PnL ${d['closed_pnl']}), order ${d['oid']}, fill ${d['tid']}`,
  order_ended: (d) =>
    `order ${d['oid']} ended: ${d['status']}. ${d['side']} ${d['filled_size']} of ${d['size']} ${d['coin']}, limit ${d['limit_price']}`,
  liquidation: (d) =>
    `liquidation ${d['lid']} (${d['margin_mode']}): account value ${d['account_value']} USD, positions of ${d['notional']} USD: ${positionsOf(d)}`,
  margin: (d) =>
    `margin ratio ${ratioOf(d)}, threshold ${d['percent']} % (${d['coin'] ?? d['margin_mode']}): account value ${d['account_value']} USD, maintenance margin ${d['maintenance_margin']} USD`,
  drawdown: (d) =>
    `drawdown ${d['drawdown_percent']} %, threshold ${d['percent']} %: account value ${d['account_value']} USD, peak ${d['peak']} USD`,
  house_rule: (d) => `house rule ${d['rule']} is broken (${d['act']})${part(' in ', d['coin'])}${part(': ', d['found'])}`,
  bot_silent: (d) => `no request of the bot for ${d['minutes']} minutes; the last one at ${d['last_request_at']}`,
  trial_end: (d) => `the ${d['of']} ${d['stage'] === 'over' ? 'has ended' : 'ends'} at ${d['ends_at']}`,
  new_key: (d) => `a new API key: ${d['key_id']}, from ${d['address']}`,
  new_device: (d) => `a login from a new device or network: ${d['address']}`,
  test: (d) => `a test of the endpoint ${d['endpoint']}`,
};

/** A line of each. @param charsMax of a line; what is longer ends in `...` */
export const alertLines = (bodies: readonly string[], charsMax: number): string[] =>
  bodies.map((body) => shortened(lineOf(JSON.parse(body) as Message), charsMax));

/** The subject and the text of a mail. @param link where the user changes what is sent */
export function alertMail(bodies: readonly string[], link: string): { readonly subject: string; readonly text: string } {
  const messages = bodies.map((body) => JSON.parse(body) as Message);
  const types = [...new Set(messages.map(({ type }) => type.replaceAll('_', ' ')))];
  const count = messages.length === 1 ? 'Alert' : `${messages.length} alerts`;
  const lines = messages.map((message) => shortened(lineOf(message), LINE_CHARS_MAX));
  return { subject: `${count}: ${types.join(', ')}`, text: [...lines, '', `What you are told of: ${link}`].join('\n') };
}

function lineOf({ type, timestamp, data }: Message): string {
  const { account, seq } = data;
  return `${timestamp} ${SAYS[type](data)}${part('. Account ', account)}${part(', entry ', seq)}`.replace(/[^\x20-\x7e]/g, '?');
}

const part = (before: string, value: unknown): string => (value === undefined || value === null ? '' : `${before}${value}`);

/** An account value of 0 or less has none. */
const ratioOf = ({ margin_ratio_percent: percent }: Data): string => (percent === null ? 'beyond all' : `${percent} %`);

const positionsOf = ({ positions }: Data): string =>
  (positions as readonly { readonly coin: string; readonly size: string }[])
    .map(({ coin, size }) => `${size} ${coin}`)
    .join(', ');

const shortened = (line: string, charsMax: number): string =>
  line.length <= charsMax ? line : `${line.slice(0, charsMax - 3)}...`;
