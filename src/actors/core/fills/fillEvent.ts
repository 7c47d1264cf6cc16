// One planned execution as the event that records it, and the result of a fill from that event alone.
import type { Book, DeepBook } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { rememberFor } from '../../../shared/domain/memo.ts';
import { applyFill, closedPnlTexts, closingFee, type Holding } from '../margin/position.ts';
import { type EntryPlace, endedTrip } from '../margin/roundTrip.ts';
import type { AccountEvent, MarketLiquidation } from '../messages/event.ts';
import type { EndedTrip, FillEvidence } from '../messages/historyRows.ts';
import type { OrderView } from '../messages/order.ts';
import type { FillResult, PlannedExecution, PlannedFill } from './fillPlan.ts';

const HALF = new Decimal('0.5');

export type OrderFilled = Extract<AccountEvent, { type: 'orderFilled' }>;

export interface Fill {
  readonly order: OrderView;
  readonly tid: number;
  readonly plan: PlannedFill<PlannedExecution>;
  readonly liquidity: 'maker' | 'taker';
  readonly evidence: FillEvidence;
  readonly liquidation?: MarketLiquidation;
}

/**
 * The event that records a planned fill. All numbers are text; closed PnL and start position are included, so that applying it needs no price.
 * @param at the entry that it will be part of: asked where it ends a round trip
 */
export function fillEvent(fill: Fill, at: () => EntryPlace): OrderFilled {
  const event = textOf(fill, at);
  planOf(event, fill.plan);
  return event;
}

/**
 * What a fill was planned to come to; undefined in a replay. The plan stays with the event as long as this process has it: the fold of a
 * decision reads no number from a text that it had made itself.
 */
export const plannedResult = (fill: OrderFilled): FillResult | undefined => planOf(fill, undefined);

const planOf = rememberFor((_: OrderFilled, plan: FillResult | undefined) => plan);

function textOf({ order, tid, plan, liquidity, evidence, liquidation }: Fill, at: () => EntryPlace): OrderFilled {
  const { oid, cloid, asset, coin, side, twapId } = order;
  const { execution, numbers } = plan;
  const trip = tripEndedBy(plan, at);
  return {
    type: 'orderFilled',
    oid,
    tid,
    ...(cloid !== undefined && { cloid }),
    asset,
    coin,
    side,
    price: execution.price.toString(),
    size: execution.size.toString(),
    liquidity,
    fee: numbers.fee.toString(),
    ...closedPnlTexts(numbers),
    startPosition: numbers.startPosition.toString(),
    direction: numbers.direction,
    marginMode: numbers.marginMode,
    leverage: numbers.leverage,
    ...(numbers.marginMovedUsd && { marginMovedUsd: numbers.marginMovedUsd.toString() }),
    evidence,
    ...(twapId !== undefined && { twapId }),
    ...(liquidation && { liquidation }),
    ...(trip && { trip }),
  };
}

function tripEndedBy(
  { before, after, execution, numbers }: PlannedFill<PlannedExecution>,
  at: () => EntryPlace,
): EndedTrip | undefined {
  const { position } = before;
  if (!position || after.position?.signedSize.isPos() === position.signedSize.isPos()) return undefined;
  const { exactPnl, fee, closedSize } = numbers;
  return endedTrip(position, { exactPnl, fee: closingFee(fee, closedSize, execution.size) }, at());
}

/** @param level what was displayed at the fill's price, and what of it the account had taken before; `from` of a bucket */
export function takerEvidence(
  { book, deep }: { readonly book: Book; readonly deep?: DeepBook },
  level: { readonly displayed: Decimal; readonly consumed: Decimal; readonly from?: Decimal },
): FillEvidence {
  const [bid] = book.bids;
  const [ask] = book.asks;
  const evidence: { -readonly [Field in keyof FillEvidence]: FillEvidence[Field] } = {
    bookTimeMs: book.timeMs,
    bookVersion: book.version,
    displayed: level.displayed.toString(),
    consumed: level.consumed.toString(),
  };
  if (deep !== undefined && level.from !== undefined)
    Object.assign(evidence, { deepFrom: level.from.toString(), deepTimeMs: deep.timeMs });
  if (bid && ask) evidence.midPrice = bid.price.plus(ask.price).times(HALF).toString();
  return evidence;
}

/** What a fill comes to for an account with this cash and position. A replay reads from the event's texts what the decision had planned. */
export const resultOf = (fill: OrderFilled, before: Holding): FillResult => plannedResult(fill) ?? readResult(fill, before);

function readResult(fill: OrderFilled, before: Holding): FillResult {
  const { asset, coin, side, marginMode, leverage, marginMovedUsd } = fill;
  const price = new Decimal(fill.price);
  const size = new Decimal(fill.size);
  const notional = price.times(size);
  const fee = new Decimal(fill.fee);
  const moved = marginMovedUsd === undefined ? undefined : new Decimal(marginMovedUsd);
  const exactPnl = new Decimal(fill.exactPnl ?? fill.closedPnl);
  const numbers = { price, size, notional, fee, exactPnl, marginMovedUsd: moved };
  const after = applyFill(before, { asset, coin, side, marginMode, leverage, ...numbers });
  return {
    execution: { price, size },
    numbers: { notional, fee, exactPnl },
    before,
    after,
  };
}
