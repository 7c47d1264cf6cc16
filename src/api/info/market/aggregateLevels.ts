// Merges book levels to fewer significant figures, as `nSigFigs` and `mantissa` of `l2Book` ask. Bids round down and
// asks up, so that no level looks better than it is.
import type { FeedLevel } from '../../../market/domain/feed.ts';
import { Decimal, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import { wireNumber } from '../../domain/wireText.ts';

export interface WireLevel {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

export const toWireLevel = ([px, sz, n]: FeedLevel): WireLevel => ({ px: wireNumber(px), sz: wireNumber(sz), n });

/**
 * @param levels best first
 * @param options.figures significant figures, 2 to 5
 * @param options.mantissa steps of the last figure: 1, 2 or 5
 */
export function aggregateLevels(
  levels: readonly FeedLevel[],
  options: { side: 'bid' | 'ask'; figures: number; mantissa: number },
): WireLevel[] {
  const merged = new Map<string, { size: Decimal; orders: number }>();
  for (const [price, size, orders] of levels) {
    const px = toWire(toStep(new Decimal(price), options));
    const known = merged.get(px) ?? { size: ZERO, orders: 0 };
    merged.set(px, { size: known.size.plus(size), orders: known.orders + orders });
  }
  return [...merged].map(([px, { size, orders }]) => ({ px, sz: toWire(size), n: orders }));
}

function toStep(
  price: Decimal,
  { side, figures, mantissa }: { side: 'bid' | 'ask'; figures: number; mantissa: number },
): Decimal {
  const step = new Decimal(10).pow(price.e - figures + 1).times(mantissa);
  const steps = price.div(step);
  return (side === 'bid' ? steps.floor() : steps.ceil()).times(step);
}
