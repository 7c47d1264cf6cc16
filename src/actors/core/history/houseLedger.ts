// The house: the other side of everything that is no trade. It gets every fee and pays or gets every take-over. It is
// derived from the accounts' events alone, so no money appears or vanishes between an account and the house
// (invariant 2).
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { AccountEvent } from '../messages/event.ts';
import { factsOf, type HouseShare } from './eventFacts.ts';

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
  const share = factsOf(event).house(event);
  if (!share) return house;
  const { cashUsd, feesUsd, lossUsd, position } = share;
  return {
    cashUsd: house.cashUsd.plus(cashUsd),
    feesUsd: feesUsd ? house.feesUsd.plus(feesUsd) : house.feesUsd,
    lossUsd: lossUsd ? house.lossUsd.plus(lossUsd) : house.lossUsd,
    positions: position ? withPosition(house, position) : house.positions,
  };
}

/** The house as it is stored: decimal text. */
export interface StoredHouse {
  readonly cashUsd: string;
  readonly feesUsd: string;
  readonly lossUsd: string;
  readonly positions: readonly (readonly [coin: string, signedSize: string])[];
}

export function toStoredHouse({ cashUsd, feesUsd, lossUsd, positions }: House): StoredHouse {
  const coins = [...positions].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    cashUsd: cashUsd.toString(),
    feesUsd: feesUsd.toString(),
    lossUsd: lossUsd.toString(),
    positions: coins.map(([coin, signedSize]) => [coin, signedSize.toString()]),
  };
}

/** @param stored absent where nothing has been written yet */
export function fromStoredHouse(stored: StoredHouse | undefined): House {
  if (stored === undefined) return EMPTY_HOUSE;
  return {
    cashUsd: new Decimal(stored.cashUsd),
    feesUsd: new Decimal(stored.feesUsd),
    lossUsd: new Decimal(stored.lossUsd),
    positions: new Map(stored.positions.map(([coin, signedSize]) => [coin, new Decimal(signedSize)])),
  };
}

function withPosition({ positions }: House, { coin, signedSize }: NonNullable<HouseShare['position']>): House['positions'] {
  const held = (positions.get(coin) ?? ZERO).plus(signedSize);
  const after = new Map(positions).set(coin, held);
  if (held.isZero()) after.delete(coin);
  return after;
}
