// A client's order with its texts read once: every check and the record of the order work on the same numbers.
import type { Asset } from '../../../market/domain/asset.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { OrderRequest } from '../messages/command.ts';
import { limitPriceOf } from './limitPrice.ts';
import { readNumber } from './priceGrid.ts';

export interface ReadOrder {
  readonly request: OrderRequest;
  /** Undefined when there is no such asset. */
  readonly asset: Asset | undefined;
  /** As requested, coins; undefined when the text is no number. */
  readonly size: Decimal | undefined;
  /** USD per coin; what this service sets for price "0" where that is allowed, undefined when the text is no number. */
  readonly limitPrice: Decimal | undefined;
  /** Of a trigger order, USD per coin; undefined when the text is no number. */
  readonly triggerPrice?: Decimal | undefined;
  /** The TWAP that the order is a slice of: made by this service and free of the minimum value. */
  readonly twapId?: number;
}

export function readOrder(request: OrderRequest, market: MarketView): ReadOrder {
  const asset = market.asset(request.asset);
  const limitPrice = asset && limitPriceOf(request, asset, market.prices(request.asset));
  const triggerPrice = request.type.kind === 'trigger' ? readNumber(request.type.triggerPrice) : undefined;
  return { request, asset, size: readNumber(request.size), limitPrice, triggerPrice };
}
