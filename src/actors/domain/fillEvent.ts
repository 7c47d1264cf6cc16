// One planned execution as the event that records it.
import type { Decimal } from '../../shared/domain/decimal.ts';
import type { AccountEvent } from './event.ts';
import type { FillNumbers } from './fillNumbers.ts';
import type { FillEvidence, OrderView } from './history.ts';

export interface Fill {
  readonly order: OrderView;
  readonly tid: number;
  readonly execution: { readonly price: Decimal; readonly size: Decimal };
  readonly numbers: FillNumbers;
  readonly liquidity: 'maker' | 'taker';
  readonly evidence: FillEvidence;
}

/** All numbers as text; closed PnL and start position included, so that applying it needs no price. */
export function fillEvent({
  order,
  tid,
  execution,
  numbers,
  liquidity,
  evidence,
}: Fill): Extract<AccountEvent, { type: 'orderFilled' }> {
  const { oid, cloid, asset, coin, side } = order;
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
    closedPnl: numbers.closedPnl.toString(),
    startPosition: numbers.startPosition.toString(),
    direction: numbers.direction,
    marginMode: numbers.marginMode,
    leverage: numbers.leverage,
    ...(numbers.marginMovedUsd && { marginMovedUsd: numbers.marginMovedUsd.toString() }),
    evidence,
  };
}
