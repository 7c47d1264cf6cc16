// Sums over the long and over the short positions. Each is exact, and a number of the page, not of the server.
import { sumOf } from '../exactSums.ts';
import { negated } from '../texts.ts';
import type { OpenPosition } from './wireAccount.ts';

/** USD, decimal text. */
export interface SideTotal {
  readonly side: 'long' | 'short';
  readonly count: number;
  readonly notional: string;
  readonly unrealizedPnl: string;
  readonly marginUsed: string;
  /** > 0 = received. */
  readonly fundingReceived: string;
}

/** Long before short; a side without a position is left out. */
export function sidesOf(positions: readonly OpenPosition[]): readonly SideTotal[] {
  return (['long', 'short'] as const).flatMap((side) => {
    const own = positions.filter((position) => position.side === side);
    if (own.length === 0) return [];
    const sum = (of: (position: OpenPosition) => string): string => sumOf(own.map(of));
    return {
      side,
      count: own.length,
      notional: sum(({ notional }) => notional),
      unrealizedPnl: sum(({ unrealizedPnl }) => unrealizedPnl),
      marginUsed: sum(({ marginUsed }) => marginUsed),
      fundingReceived: negated(sum(({ fundingPaid }) => fundingPaid)),
    };
  });
}
