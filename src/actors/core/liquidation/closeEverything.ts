// Ends everything that is open in an account: orders, TWAPs, the dead man's switch, pending funding, positions. A
// market order is not possible for every position (the book may be empty or old), so positions are closed at their
// marks. The house takes them over at that value, without a fee, as the venue settles delisted coins.
import { halfUp } from '../../../shared/domain/decimal.ts';
import type { Position } from '../account/account.ts';
import type { Context } from '../fold/decision.ts';
import type { Draft } from '../fold/draft.ts';
import { wholeClosed } from '../margin/position.ts';
import { valuationOf } from '../margin/positionMargin.ts';
import { endOrders, endTwaps } from '../orders/endOrders.ts';
import { payPendingFunding } from './payFunding.ts';

/** Decimals of a mark; an entry price, which replaces an unknown mark, may have more. */
const PRICE_DECIMALS = 10;

/** @param options.dropFunding hours without a known rate are dropped; else they are paid when it is known */
export function closeEverything(draft: Draft, context: Context, { dropFunding }: { readonly dropFunding: boolean }): void {
  endOrders(draft, () => true, 'canceled');
  endTwaps(draft, () => true, { status: 'terminated' });
  if (draft.account.scheduledCancel.dueMs !== undefined) draft.record({ type: 'cancelScheduled' });
  payPendingFunding(draft, context, { drop: dropFunding });
  for (const position of [...draft.account.positions.values()].sort((a, b) => a.asset - b.asset)) close(draft, position, context);
}

function close(draft: Draft, position: Position, { ids, market }: Context): void {
  const { asset, coin, signedSize, entryNotional } = position;
  const isLong = signedSize.isPos();
  const price = halfUp(valuationOf(position, market).markPrice, PRICE_DECIMALS);
  const usd = price.times(signedSize);
  const closed = { price, size: signedSize.abs(), proceeds: usd.abs(), cost: entryNotional };
  draft.record({
    type: 'positionClosed',
    oid: ids.next(),
    tid: ids.next(),
    asset,
    coin,
    side: isLong ? 'sell' : 'buy',
    price: price.toString(),
    size: signedSize.abs().toString(),
    usd: usd.toString(),
    ...wholeClosed(position, closed, { sizeDecimals: market.asset(asset)?.sizeDecimals ?? 0, place: draft.place }),
    startPosition: signedSize.toString(),
    direction: isLong ? 'Close Long' : 'Close Short',
  });
}
