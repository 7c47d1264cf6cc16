// What events of house rules do to an account.
import { Decimal } from '../../../shared/domain/decimal.ts';
import { type HouseState, withoutBreaches } from '../account/limits.ts';
import type { AccountEvent } from '../messages/event.ts';

type HouseEvent = Extract<AccountEvent, { type: 'houseRulesSet' | 'housePeakRaised' | 'houseRuleBroken' | 'houseHoursTurned' }>;

/** @returns undefined where there are no rules */
export function evolveHouse(house: HouseState | undefined, event: HouseEvent, timeMs: number): HouseState | undefined {
  if (event.type === 'houseRulesSet') {
    if (event.rules === null) return undefined;
    const { rules, peakUsd, turnedMs } = event;
    return { rules, peakUsd: new Decimal(peakUsd), turnedMs, breaches: [] };
  }
  if (house === undefined) return undefined;
  switch (event.type) {
    case 'housePeakRaised': {
      const { shareKept: _, ...others } = house;
      const { peakUsd, shareKept } = event;
      return { ...others, peakUsd: new Decimal(peakUsd), ...(shareKept !== undefined && { shareKept: new Decimal(shareKept) }) };
    }
    case 'houseHoursTurned':
      return { ...withoutBreaches(house, 'hours'), turnedMs: event.turnedMs };
    default: {
      const { type: _, ...broken } = event;
      return { ...house, breaches: [...house.breaches, { ...broken, timeMs }] };
    }
  }
}
