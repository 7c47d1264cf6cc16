// Reasons to refuse an order: one table from reason to status and the venue's text (wire-format 4.8, 5.1), in the order
// of the checks. docs/errors.md explains each reason; tests compare page, table and checks.
import type { OrderStatus } from './order.ts';

export const REJECTIONS = {
  unknownAsset: { status: 'rejected', text: 'Unknown asset. asset={asset}' },
  keyOrdersPerMinute: {
    status: 'rejected',
    text: 'Orders a minute of this API key: {sent} sent in the last 60 s, limit {max}. asset={asset}',
  },
  keyDailyLoss: {
    status: 'rejected',
    text: 'Daily loss limit of this API key: {lost} USD lost since 00:00 UTC, limit {max} USD. Only reduce-only orders. asset={asset}',
  },
  keyLeverage: { status: 'rejected', text: 'Leverage {leverage}x is above the limit of this API key: {max}x. asset={asset}' },
  keyOrderValue: {
    status: 'rejected',
    text: 'Order value {value} USD is above the limit of this API key: {max} USD. asset={asset}',
  },
  houseDailyLoss: {
    status: 'rejected',
    text: 'House rule of this account: {lost} USD lost since 00:00 UTC, limit {max} USD. Only reduce-only orders. asset={asset}',
  },
  houseDrawdown: {
    status: 'rejected',
    text: 'House rule of this account: drawdown of {found} %, limit {max} %. Only reduce-only orders. asset={asset}',
  },
  houseHours: {
    status: 'rejected',
    text: 'House rule of this account: hours are {from} to {to} UTC. Only reduce-only orders. asset={asset}',
  },
  houseCoins: {
    status: 'rejected',
    text: 'House rule of this account: {coin} is none of its coins, {only}. Only reduce-only orders. asset={asset}',
  },
  postOnlyAfterUpgrade: { status: 'rejected', text: 'Only post-only orders allowed immediately after network upgrade' },
  halted: { status: 'rejected', text: 'Trading is halted. asset={asset}' },
  staleMarket: { status: 'rejected', text: 'Market data is stale ({age}). asset={asset}' },
  zeroSize: { status: 'rejected', text: 'Order has zero size.' },
  invalidSize: { status: 'rejected', text: 'Order has invalid size.' },
  priceOffTick: { status: 'tickRejected', text: 'Price must be divisible by tick size. asset={asset}' },
  invalidPrice: { status: 'rejected', text: 'Order has invalid price.' },
  badTriggerPrice: { status: 'badTriggerPxRejected', text: 'Invalid TP/SL price. asset={asset}' },
  valueTooLarge: { status: 'rejected', text: 'Order value too large. Max is {maxUsd}.' },
  reduceOnlyWouldIncrease: { status: 'reduceOnlyRejected', text: 'Reduce only order would increase position. asset={asset}' },
  valueTooSmall: { status: 'minTradeNtlRejected', text: 'Order must have minimum value of $10. asset={asset}' },
  postOnlyWouldMatch: {
    status: 'badAloPxRejected',
    text: 'Post only order would have immediately matched, bbo was {bid}@{ask}. asset={asset}',
  },
  nothingToMatch: {
    status: 'iocCancelRejected',
    text: 'Order could not immediately match against any resting orders. asset={asset}',
  },
  noLiquidity: { status: 'marketOrderNoLiquidityRejected', text: 'No liquidity available for market order.' },
  openInterestIncrease: {
    status: 'positionIncreaseAtOpenInterestCapRejected',
    text: 'Order would increase open interest while open interest is capped',
  },
  openInterestFlip: {
    status: 'positionFlipAtOpenInterestCapRejected',
    text: 'Order would increase open interest while open interest is capped',
  },
  openInterestAggressive: {
    status: 'tooAggressiveAtOpenInterestCapRejected',
    text: 'Order rejected due to price more aggressive than oracle while at open interest cap',
  },
  tierLimit: {
    status: 'perpMaxPositionRejected',
    text: 'Order would cause position to exceed margin tier limit at current leverage',
  },
  insufficientMargin: { status: 'perpMarginRejected', text: 'Insufficient margin to place order. asset={asset}' },
  tooManyOpenOrders: { status: 'tooManyOpenOrdersRejected', text: 'Too many open orders' },
} as const satisfies Readonly<Record<string, { readonly status: OrderStatus; readonly text: string }>>;

export type RejectReason = keyof typeof REJECTIONS;

export interface Rejection {
  readonly type: 'rejected';
  readonly reason: RejectReason;
  readonly status: OrderStatus;
  /** What the client reads. */
  readonly text: string;
}

/** The refusal of an order, its text filled with these numbers. */
export function rejection(reason: RejectReason, numbers: Readonly<Record<string, string | number>>): Rejection {
  const { status, text } = REJECTIONS[reason];
  return { type: 'rejected', reason, status, text: text.replace(/\{(\w+)\}/g, (_, name: string) => String(numbers[name])) };
}
