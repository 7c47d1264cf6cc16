// The life of an order, in the order of time: placed, triggered, each fill, and how it stands or has ended. With it the page's names for
// kinds of evidence, ends of orders and changes of TWAPs.

/** The facts that the steps of an order are made from. */
interface LifeFacts {
  readonly placedMs: number;
  /** The trigger of an order that had one. */
  readonly triggerCondition: string | null;
  readonly status: string;
  readonly statusMs: number;
  /** Of each fill. */
  readonly fillTimesMs: readonly number[];
}

export type LifeStep =
  | { readonly type: 'placed' | 'triggered' | 'status'; readonly timeMs: number }
  /** @see LifeFacts.fillTimesMs */
  | { readonly type: 'fill'; readonly timeMs: number; readonly index: number };

/**
 * The steps, oldest first. When a trigger fired is known from the status while it is the last one, and from the first fill after it;
 * an order that was canceled before has no such step.
 */
export function orderLife({ placedMs, triggerCondition, status, statusMs, fillTimesMs }: LifeFacts): readonly LifeStep[] {
  const fills = fillTimesMs
    .map((timeMs, index) => ({ type: 'fill' as const, timeMs, index }))
    .sort((a, b) => a.timeMs - b.timeMs || a.index - b.index);
  const isSaid = status === 'triggered';
  const firedMs = isSaid ? statusMs : triggerCondition === null ? undefined : fills[0]?.timeMs;
  const fired: LifeStep[] = firedMs === undefined ? [] : [{ type: 'triggered', timeMs: firedMs }];
  return [
    { type: 'placed', timeMs: placedMs },
    ...fired,
    ...fills,
    ...(isSaid ? [] : [{ type: 'status' as const, timeMs: statusMs }]),
  ];
}

/** Where a fill came from, by `source` of its evidence. */
const SOURCES: Readonly<Record<string, string>> = {
  book: 'Taken from the book',
  trade: 'Reached by a public trade',
  bookGap: 'Crossed by a newer book',
  takeOver: 'Taken over by the house',
  settlement: 'Settled after delisting',
  unknown: 'No evidence was kept',
};

/** A source that this page does not know is shown by its own name. */
export const sourceWords = (source: string): string => SOURCES[source] ?? source;

/** Statuses whose name alone is not plain. */
const STATUSES: Readonly<Record<string, string>> = {
  marginCanceled: 'canceled: free margin did not carry it',
  openInterestCapCanceled: 'canceled: open interest at its cap',
  selfTradeCanceled: 'canceled: it would have met an own order',
  reduceOnlyCanceled: 'canceled: nothing left to reduce',
  siblingFilledCanceled: 'canceled: the other of its group has filled',
  scheduledCancel: 'canceled by the scheduled cancel',
  liquidatedCanceled: 'canceled: the account was liquidated',
  delistedCanceled: 'canceled: the coin was delisted',
  tickRejected: 'refused: price is off the tick',
  minTradeNtlRejected: 'refused: below the minimum value',
  perpMarginRejected: 'refused: not enough margin',
  reduceOnlyRejected: 'refused: it would not reduce',
  badAloPxRejected: 'refused: post-only would have matched',
  iocCancelRejected: 'refused: nothing to match at once',
  badTriggerPxRejected: 'refused: trigger price',
  marketOrderNoLiquidityRejected: 'refused: no liquidity',
  oracleRejected: 'refused: too far from the oracle',
  perpMaxPositionRejected: 'refused: margin tier limit',
  positionFlipAtOpenInterestCapRejected: 'refused: open interest at its cap',
  positionIncreaseAtOpenInterestCapRejected: 'refused: open interest at its cap',
  tooAggressiveAtOpenInterestCapRejected: 'refused: open interest at its cap',
  tooManyOpenOrdersRejected: 'refused: too many open orders',
  rejected: 'refused',
};

/** An order's status in words; a plain status, or a status not known here, stands for itself. */
export const statusWords = (status: string): string => STATUSES[status] ?? status;

export const isRefused = (status: string): boolean => status === 'rejected' || status.endsWith('Rejected');

const TWAP_STATUSES: Readonly<Record<string, string>> = {
  activated: 'started',
  waitingForTrigger: 'waits for its trigger',
  finished: 'finished',
  terminated: 'canceled',
  stopped: 'ended by its stop price',
};

export const twapStatusWords = (status: string): string => TWAP_STATUSES[status] ?? status;

/** How a position was liquidated, by `liquidation.method` of a fill. */
export const liquidationWords = (method: string): string =>
  method === 'backstop' ? 'the house took the position over' : 'closed in the market';
