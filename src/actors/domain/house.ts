// The house is the other side of everything that is no trade: it gets every fee and pays or gets every take-over. Derived
// from the accounts' events alone, so no money appears or vanishes between an account and the house (trading-rules 8.2).
import { type Decimal, ZERO } from '../../shared/domain/decimal.ts';
import type { AccountEvent } from './event.ts';

export interface House {
  /** USD that the house holds; negative when it has paid more than it got. */
  readonly cashUsd: Decimal;
  /** Part of it: fees. */
  readonly feesUsd: Decimal;
  /** What accounts owed beyond their equity when they were taken over, USD. */
  readonly lossUsd: Decimal;
  /** Coins taken over, long > 0, by coin; none of size 0. The house does not trade them. */
  readonly positions: ReadonlyMap<string, Decimal>;
}

export const EMPTY_HOUSE: House = { cashUsd: ZERO, feesUsd: ZERO, lossUsd: ZERO, positions: new Map() };

/** The house after one event of an account. */
export function houseAfter(house: House, event: AccountEvent): House {
  switch (event.type) {
    case 'orderFilled': {
      if (event.fee === '0') return house;
      return { ...house, cashUsd: house.cashUsd.plus(event.fee), feesUsd: house.feesUsd.plus(event.fee) };
    }
    case 'fundingSettled':
      return { ...house, cashUsd: house.cashUsd.minus(event.usd) };
    case 'positionTakenOver':
      return { ...house, cashUsd: house.cashUsd.minus(event.usd), positions: withPosition(house, event) };
    case 'liquidated':
      return {
        ...house,
        cashUsd: house.cashUsd.minus(event.paidUsd ?? ZERO),
        lossUsd: house.lossUsd.plus(event.houseLossUsd ?? ZERO),
      };
    default:
      return house;
  }
}

function withPosition(
  { positions }: House,
  { coin, startPosition }: Extract<AccountEvent, { type: 'positionTakenOver' }>,
): House['positions'] {
  const held = (positions.get(coin) ?? ZERO).plus(startPosition);
  const after = new Map(positions).set(coin, held);
  if (held.isZero()) after.delete(coin);
  return after;
}
