// How far marks may move before a house rule could be broken, or a peak has to be noted: beside the wake prices of liquidation, in the
// same index. What the account may still lose is shared out among its positions by notional: while no mark has moved adversely by more
// than its share, the sum of all losses is less. Numbers are rough here and err on the side of a look; the rule is judged exactly.

import type { Account, Position } from '../../../actors/core/account/account.ts';
import { breachOf, type LimitsState } from '../../../actors/core/account/limits.ts';
import { lossOfDay, resultOf, valueAtPeak } from '../../../actors/core/margin/drawdown.ts';
import { ROUGHNESS, type WakePrice } from '../../../actors/core/margin/wakePrices.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import { peakStep, positionsToClose } from './watchLimits.ts';

const PERCENT = 100;

/** Wake prices for the house rules of an account; none while nothing is open, or no rule goes by its value. */
export function wakePricesOfLimits(account: Account, market: MarketView): WakePrice[] {
  const { house } = account;
  const positions = [...account.positions.values()];
  if (house === undefined || positions.length === 0) return [];
  const waiting = positionsToClose(account);
  if (waiting.length > 0) return waiting.map(anyMark);
  const { loss, rise } = distances(account, house, market);
  if (loss === Infinity && rise === Infinity) return [];
  const gross = positions.reduce((sum, position) => sum + notionalOf(position, market), 0);
  if (Number.isNaN(gross)) return positions.map(anyMark);
  return [
    ...atShare(positions, { share: shareOf(loss, gross), isAdverse: true, market }),
    ...atShare(positions, { share: shareOf(rise, gross), isAdverse: false, market }),
  ];
}

/** What the account may lose until a rule is broken, and gain until its peak is noted, USD; infinite without such a rule. */
function distances(account: Account, house: LimitsState, market: MarketView): { readonly loss: number; readonly rise: number } {
  const { dailyLoss, drawdown } = house.rules;
  const resultUsd = resultOf(account, market);
  let [loss, rise] = [Infinity, Infinity];
  if (dailyLoss && !breachOf(house, 'dailyLoss')) loss = Number(dailyLoss.usd) - lossOfDay(account, resultUsd).toNumber();
  if (drawdown && !breachOf(house, 'drawdown')) {
    const fallen = house.peakUsd.minus(resultUsd).toNumber();
    const max = (valueAtPeak(account, house.peakUsd).toNumber() * Number(drawdown.percent)) / PERCENT;
    loss = Math.min(loss, max - fallen);
    rise = fallen + peakStep(account, house).toNumber();
  }
  return { loss, rise };
}

/** Part of its mark by which each coin may move; 0 when any move matters. */
function shareOf(usd: number, gross: number): number {
  const sure = usd - gross * ROUGHNESS;
  return sure > 0 ? sure / gross : 0;
}

function atShare(
  positions: readonly Position[],
  { share, isAdverse, market }: { readonly share: number; readonly isAdverse: boolean; readonly market: MarketView },
): WakePrice[] {
  if (share === Infinity) return [];
  if (share === 0) return positions.map(anyMark);
  return positions.flatMap((position): WakePrice[] => {
    const { asset, signedSize } = position;
    const mark = market.prices(asset)?.markPrice.toNumber() ?? Number.NaN;
    if (signedSize.isPos() !== isAdverse) return [{ asset, when: 'rises', price: mark * (1 + share) }];
    return share < 1 ? [{ asset, when: 'falls', price: mark * (1 - share) }] : [];
  });
}

const anyMark = ({ asset }: Position): WakePrice => ({ asset, when: 'falls', price: Infinity });

/** Not a number while the coin has no mark. */
function notionalOf({ asset, signedSize }: Position, market: MarketView): number {
  return Math.abs(signedSize.toNumber()) * (market.prices(asset)?.markPrice.toNumber() ?? Number.NaN);
}
