// One planned execution as the event that records it.
import type { AccountEvent, MarketLiquidation } from '../messages/event.ts';
import type { FillEvidence, OrderView } from '../messages/historyRows.ts';
import type { PlannedExecution, PlannedFill } from './fillPlan.ts';
import { keepPlan } from './plannedFillCache.ts';

export interface Fill {
  readonly order: OrderView;
  readonly tid: number;
  readonly plan: PlannedFill<PlannedExecution>;
  readonly liquidity: 'maker' | 'taker';
  readonly evidence: FillEvidence;
  readonly liquidation?: MarketLiquidation;
}

/** All numbers as text; closed PnL and start position included, so that applying it needs no price. */
export function fillEvent({
  order,
  tid,
  plan,
  liquidity,
  evidence,
  liquidation,
}: Fill): Extract<AccountEvent, { type: 'orderFilled' }> {
  const { oid, cloid, asset, coin, side, twapId } = order;
  const { execution, numbers } = plan;
  const event: ReturnType<typeof fillEvent> = {
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
    closedPnl: numbers.closedPnl.toString(),
    startPosition: numbers.startPosition.toString(),
    direction: numbers.direction,
    marginMode: numbers.marginMode,
    leverage: numbers.leverage,
    ...(numbers.marginMovedUsd && { marginMovedUsd: numbers.marginMovedUsd.toString() }),
    evidence,
    ...(twapId !== undefined && { twapId }),
    ...(liquidation && { liquidation }),
  };
  keepPlan(event, plan);
  return event;
}
