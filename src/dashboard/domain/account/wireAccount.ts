// The account's channels in full words: `clearinghouseState`, `openOrders`, `userFills` and the rows of `account/fills`. Every
// figure stays the server's text.
import { sumOf } from '../exactSums.ts';

/** The fields that the page reads. */
export interface WireAccountState {
  readonly marginSummary: { readonly accountValue: string; readonly totalMarginUsed: string };
  readonly crossMarginSummary: { readonly accountValue: string };
  readonly crossMaintenanceMarginUsed: string;
  readonly withdrawable: string;
  readonly assetPositions: readonly { readonly position: WirePosition }[];
  /** ms since the epoch */
  readonly time: number;
}

interface WirePosition {
  readonly coin: string;
  readonly szi: string;
  readonly leverage: { readonly type: 'cross' | 'isolated'; readonly value: number };
  readonly entryPx: string;
  readonly positionValue: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  readonly liquidationPx: string | null;
  readonly marginUsed: string;
  readonly cumFunding: { readonly sinceOpen: string };
}

/** USD, decimal text. */
export interface AccountFigures {
  readonly accountValue: string;
  readonly marginUsed: string;
  readonly withdrawable: string;
  /** Sum over the positions. A computed number, as text. */
  readonly unrealizedPnl: string;
  /** Maintenance margin by the equity of the cross account; undefined without equity. A computed number. */
  readonly marginRatio: number | undefined;
}

export interface OpenPosition {
  readonly coin: string;
  readonly side: 'long' | 'short';
  /** Coins, unsigned. */
  readonly size: string;
  readonly entryPrice: string;
  readonly notional: string;
  readonly unrealizedPnl: string;
  readonly returnOnEquity: string;
  readonly leverage: number;
  readonly marginMode: 'cross' | 'isolated';
  readonly marginUsed: string;
  readonly liquidationPrice: string | null;
  /** Paid since the position was opened, USD; < 0 = received. */
  readonly fundingPaid: string;
}

export function readAccountState(state: WireAccountState): AccountFigures & { readonly positions: readonly OpenPosition[] } {
  const { marginSummary, crossMarginSummary, crossMaintenanceMarginUsed, withdrawable, assetPositions } = state;
  const equity = Number(crossMarginSummary.accountValue);
  return {
    accountValue: marginSummary.accountValue,
    marginUsed: marginSummary.totalMarginUsed,
    withdrawable,
    unrealizedPnl: sumOf(assetPositions.map(({ position }) => position.unrealizedPnl)),
    marginRatio: equity > 0 ? Number(crossMaintenanceMarginUsed) / equity : undefined,
    positions: assetPositions.map(({ position }) => readPosition(position)),
  };
}

const readPosition = (position: WirePosition): OpenPosition => ({
  coin: position.coin,
  side: position.szi.startsWith('-') ? 'short' : 'long',
  size: position.szi.replace(/^-/, ''),
  entryPrice: position.entryPx,
  notional: position.positionValue,
  unrealizedPnl: position.unrealizedPnl,
  returnOnEquity: position.returnOnEquity,
  leverage: position.leverage.value,
  marginMode: position.leverage.type,
  marginUsed: position.marginUsed,
  liquidationPrice: position.liquidationPx,
  fundingPaid: position.cumFunding.sinceOpen,
});

/** The fields that the page reads. */
export interface WireOpenOrder extends WireChildOrder {
  readonly children: readonly WireChildOrder[];
}

/** An order without the orders that wait for it: children have none. */
interface WireChildOrder {
  readonly coin: string;
  readonly side: 'B' | 'A';
  readonly limitPx: string;
  readonly sz: string;
  readonly origSz: string;
  readonly oid: number;
  readonly timestamp: number;
  readonly isTrigger: boolean;
  readonly triggerPx: string;
  readonly triggerCondition: string;
  readonly isPositionTpsl: boolean;
  readonly reduceOnly: boolean;
  readonly orderType: string;
  readonly tif: string | null;
  readonly cloid: string | null;
}

export interface OpenOrder {
  readonly oid: number;
  readonly cloid: string | null;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  /** `Limit`, `Stop Market`, … */
  readonly type: string;
  readonly limitPrice: string;
  /** null = not waiting for the mark. */
  readonly triggerPrice: string | null;
  /** `Price below 60000`. */
  readonly triggerCondition: string | null;
  /** The size left to fill, and the size of the order. "0" for an order that closes a whole position. */
  readonly sizeLeft: string;
  readonly size: string;
  readonly isForPosition: boolean;
  readonly reduceOnly: boolean;
  readonly timeInForce: string | null;
  readonly placedMs: number;
  /** Orders that wait for this one to fill. */
  readonly children: readonly OpenOrder[];
}

export const readOpenOrder = ({ children, ...order }: WireOpenOrder): OpenOrder => ({
  ...readFlat(order),
  children: children.map((child) => ({ ...readFlat(child), children: [] })),
});

const readFlat = (order: WireChildOrder): Omit<OpenOrder, 'children'> => ({
  oid: order.oid,
  cloid: order.cloid,
  coin: order.coin,
  side: order.side === 'B' ? 'buy' : 'sell',
  type: order.orderType,
  limitPrice: order.limitPx,
  triggerPrice: order.isTrigger ? order.triggerPx : null,
  triggerCondition: order.isTrigger ? order.triggerCondition : null,
  sizeLeft: order.sz,
  size: order.origSz,
  isForPosition: order.isPositionTpsl,
  reduceOnly: order.reduceOnly,
  timeInForce: order.tif,
  placedMs: order.timestamp,
});

/** An order with its depth: 0 = no parent. */
export interface OrderInTree {
  readonly order: OpenOrder;
  readonly depth: number;
}

/**
 * Open orders as a tree: parents, each followed by its children. A child that the list has beside its parent, too, is shown below
 * its parent only.
 */
export function asTree(orders: readonly OpenOrder[]): readonly OrderInTree[] {
  const below = new Set(orders.flatMap(({ children }) => children.map(({ oid }) => oid)));
  const withChildren = (order: OpenOrder, depth: number): OrderInTree[] => [
    { order, depth },
    ...order.children.flatMap((child) => withChildren(child, depth + 1)),
  ];
  return orders.filter(({ oid }) => !below.has(oid)).flatMap((order) => withChildren(order, 0));
}

/** A row of the channel `userFills`, as far as the page reads it. */
export interface WireFill {
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'B' | 'A';
  readonly dir: string;
  readonly px: string;
  readonly sz: string;
  readonly fee: string;
  readonly crossed: boolean;
  readonly closedPnl: string;
  readonly time: number;
}

export interface Fill {
  readonly tid: number;
  readonly oid: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  /** `Open Long`, `Close Short`, … */
  readonly direction: string;
  readonly price: string;
  readonly size: string;
  readonly fee: string;
  readonly liquidity: 'maker' | 'taker';
  readonly closedPnl: string;
  readonly timeMs: number;
}

/** An item of `account/fills`: the same by other names. */
export interface FillItem extends Omit<Fill, 'closedPnl' | 'timeMs'> {
  readonly closed_pnl: string;
  readonly time: string;
}

/** A fill as the stream and as `account/fills` send it, in one form. */
export const readWireFill = (fill: WireFill): Fill => ({
  tid: fill.tid,
  oid: fill.oid,
  coin: fill.coin,
  side: fill.side === 'B' ? 'buy' : 'sell',
  direction: fill.dir,
  price: fill.px,
  size: fill.sz,
  fee: fill.fee,
  liquidity: fill.crossed ? 'taker' : 'maker',
  closedPnl: fill.closedPnl,
  timeMs: fill.time,
});

/** @param timeMs `time`, ms since the epoch */
export const readFillItem = ({ closed_pnl: closedPnl, time: _, ...rest }: FillItem, timeMs: number): Fill => ({
  ...rest,
  closedPnl,
  timeMs,
});
