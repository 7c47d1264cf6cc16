// Rows of `openOrders` in full words, and the tree that parents and children make.

/** What the server sends, as far as the page reads it. */
export interface WireOpenOrder extends WireChildOrder {
  readonly children: readonly WireChildOrder[];
}

/** An order without those that wait for it: children have none. */
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
  /** What is left to fill, and what was asked for. "0" for what closes a whole position. */
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

/** Parents, each followed by its children; a child that the list has beside its parent too is shown below it only. */
export function asTree(orders: readonly OpenOrder[]): readonly OrderInTree[] {
  const below = new Set(orders.flatMap(({ children }) => children.map(({ oid }) => oid)));
  const withChildren = (order: OpenOrder, depth: number): OrderInTree[] => [
    { order, depth },
    ...order.children.flatMap((child) => withChildren(child, depth + 1)),
  ];
  return orders.filter(({ oid }) => !below.has(oid)).flatMap((order) => withChildren(order, 0));
}
