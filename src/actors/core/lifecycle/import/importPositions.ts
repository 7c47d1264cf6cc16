// The positions of an address at another scale, as an account here can have them. A size is cut toward zero to whole lots, an isolated margin
// in the same proportion; the price at which a position was entered stays.
import type { Asset } from '../../../../market/domain/asset.ts';
import type { MarketView } from '../../../../market/domain/marketView.ts';
import { cut6, cutTo, Decimal, quotient, ZERO } from '../../../../shared/domain/decimal.ts';
import type { Account } from '../../account/account.ts';
import { houseRefusal } from '../../checks/checkHouseRules.ts';
import { ORDER_VALUE_MIN } from '../../checks/checkOrder.ts';
import type { Context } from '../../fold/decision.ts';
import { tierOf } from '../../margin/positionMargin.ts';
import type { LeftOut, SourcePosition, TakenPosition } from '../../messages/answers/importReport.ts';
import { LEVERAGE_MAX } from '../updateLeverage.ts';

/** So far sums of what the venue has rounded may be off, USD. */
const ROUNDING = new Decimal('0.01');

export interface Positions {
  readonly taken: readonly TakenPosition[];
  readonly left: readonly LeftOut[];
  /** Of those that were taken, at the venue's mark, USD. */
  readonly unrealizedPnl: Decimal;
}

/** @param options.value account value that the account is to begin with, USD */
export function importPositions(
  account: Account,
  positions: readonly SourcePosition[],
  { value, scale, context }: { readonly value: Decimal; readonly scale: Decimal; readonly context: Context },
): Positions {
  const { market } = context;
  const taken: TakenPosition[] = [];
  const left: LeftOut[] = [];
  let unrealizedPnl = ZERO;
  /** Of the account value, what no isolated margin has. */
  let free = value.plus(scale.times(ROUNDING));
  for (const source of positions) {
    const { coin } = source;
    const asset = market.assetOf(coin);
    const size = asset && cutTo(new Decimal(source.signedSize).times(scale), asset.sizeDecimals);
    const refusal = refusalOf(source, { asset, size, market }) ?? refusalOfHouse(account, asset, context);
    if (refusal !== undefined || asset === undefined || size === undefined) {
      left.push({ kind: 'position', coin, ...(refusal ?? UNLISTED) });
      continue;
    }
    const share = (usd: string): Decimal => quotient(new Decimal(usd).times(size.abs()), new Decimal(source.signedSize).abs());
    const { entryPrice, marginMode } = source;
    const rawUsd = marginMode === 'cross' ? ZERO : cut6(share(source.rawUsd));
    const signedValue = size.isNeg() ? share(source.value).neg() : share(source.value);
    const margin = marginMode === 'cross' ? ZERO : Decimal.max(ZERO, signedValue.plus(rawUsd));
    if (margin.gt(free)) {
      left.push({ kind: 'position', coin, ...UNCOVERED });
      continue;
    }
    free = free.minus(margin);
    const { leverage, lowered } = leverageFor(source, asset, size.abs().times(market.prices(asset.id)?.markPrice ?? 0));
    if (lowered !== undefined) left.push({ kind: 'leverage', coin, reason: 'leverage', text: lowered });
    unrealizedPnl = unrealizedPnl.plus(signedValue).minus(size.times(entryPrice));
    taken.push({
      ...{ asset: asset.id, coin, signedSize: size.toString(), entryPrice },
      ...{ marginMode, leverage, rawUsd: rawUsd.toString() },
    });
  }
  return { taken, left, unrealizedPnl };
}

type Refusal = Pick<LeftOut, 'reason' | 'text'>;

/** The account would owe what the margin has, and have it forgiven with the next liquidation. */
const UNCOVERED: Refusal = { reason: 'refused', text: 'The account value does not cover its isolated margin.' };
export const UNLISTED: Refusal = { reason: 'unlisted', text: 'The coin is no perpetual of the main list.' };

interface Wanted {
  readonly asset: Asset | undefined;
  readonly size: Decimal | undefined;
  readonly market: MarketView;
}

function refusalOf({ marginMode }: SourcePosition, { asset, size, market }: Wanted): Refusal | undefined {
  if (asset === undefined || size === undefined) return UNLISTED;
  if (asset.isDelisted) return { reason: 'delisted', text: 'The venue has taken the coin off its list.' };
  const mark = market.prices(asset.id)?.markPrice;
  if (mark === undefined) return { reason: 'no_price', text: 'There is no mark of the coin at the moment.' };
  if (marginMode === 'cross' && asset.onlyIsolated) return { reason: 'margin_mode', text: 'The coin allows no cross margin.' };
  if (size.isZero()) return { reason: 'below_lot', text: `Less than a lot: sizes have ${asset.sizeDecimals} decimals.` };
  if (size.abs().times(mark).lt(ORDER_VALUE_MIN))
    return { reason: 'below_minimum', text: `It is worth less than ${ORDER_VALUE_MIN.toString()} USD.` };
  return undefined;
}

/** A position that the house rules of the account would let no order open. */
function refusalOfHouse(account: Account, asset: Asset | undefined, context: Context): Refusal | undefined {
  const refused = asset && houseRefusal(account, { asset, reduceOnly: false }, context);
  return refused && { reason: 'refused', text: refused.text };
}

/** No more than the coin, its tier and the service allow. */
function leverageFor(
  { leverage: wanted }: SourcePosition,
  { maxLeverage, marginTiers }: Asset,
  notional: Decimal,
): { readonly leverage: number; readonly lowered?: string } {
  const most = Math.min(maxLeverage, LEVERAGE_MAX, tierOf(marginTiers, notional).maxLeverage);
  if (wanted <= most) return { leverage: wanted };
  return { leverage: most, lowered: `${wanted}x is more than is allowed: the position has ${most}x.` };
}
