// The fills that an order would get, one after the other, before anything has happened, and the numbers of each: fee,
// closed PnL, direction, and the amount that moves between cash and isolated margin (trading-rules 3.3, 4.5, 4.10,
// 7.1, 7.2). Each fill's numbers start from the position that the one before it left. Margin is checked on the
// result; then the `orderFilled` events carry the same numbers.
import type { Asset } from '../../../market/domain/asset.ts';
import { cut6, Decimal, roundOffDust, ZERO } from '../../../shared/domain/decimal.ts';
import { FEE_RATES, type FeeRates, feeOf, ratesOfTier, tierOfVolume, tierVolume } from '../../../shared/domain/fees.ts';
import type { Account, LeverageSetting, Position } from '../account/account.ts';
import {
  applyFill,
  type ClosedPnl,
  closedCost,
  closedPnlOf,
  closingPart,
  entryPriceOf,
  type Holding,
  NOTHING_CLOSED,
  signedCost,
} from '../margin/position.ts';
import type { Side } from '../messages/order.ts';

/** One level taken, or one match of a resting order. */
export interface PlannedExecution {
  readonly price: Decimal;
  readonly size: Decimal;
}

/** What a fill comes to: all that the fold needs of it. Planned when the fill is decided, read from its event in a replay. */
export interface FillResult {
  readonly execution: PlannedExecution;
  readonly numbers: Pick<FillNumbers, 'notional' | 'fee' | 'exactPnl'>;
  /** Cash and position that it meets, and that it leaves. */
  readonly before: Holding;
  readonly after: Holding;
}

export interface PlannedFill<Planned extends PlannedExecution> extends FillResult {
  readonly execution: Planned;
  readonly numbers: FillNumbers;
}

export interface FillPlan<Planned extends PlannedExecution> {
  readonly fills: readonly PlannedFill<Planned>[];
  /** Cash and position after all of them. */
  readonly after: Holding;
  /** True when a fill opens or increases the position, if only with a part. */
  readonly opens: boolean;
}

/** What all fills of the order have in common. */
interface FillTerms extends Pick<Execution, 'side' | 'liquidity' | 'setting' | 'markPrice' | 'rates'> {
  readonly asset: Pick<Asset, 'id' | 'coin' | 'sizeDecimals'>;
}

/** Computes the fills of one order. Nothing is changed. */
export function planFills<Planned extends PlannedExecution>(
  before: Holding,
  executions: readonly Planned[],
  { asset, ...terms }: FillTerms,
): FillPlan<Planned> {
  const fills: PlannedFill<Planned>[] = [];
  let holding = before;
  let opens = false;
  for (const execution of executions) {
    const { price, size } = execution;
    const numbers = fillNumbers(holding.position, { ...terms, price, size, sizeDecimals: asset.sizeDecimals });
    const { notional, fee, exactPnl, marginMode, leverage, marginMovedUsd, closedCost } = numbers;
    const { id, coin } = asset;
    const fill = {
      asset: id,
      coin,
      side: terms.side,
      price,
      size,
      notional,
      fee,
      exactPnl,
      marginMode,
      leverage,
      marginMovedUsd,
      closedCost,
    };
    const after = applyFill(holding, fill);
    opens ||= !numbers.openedSize.isZero();
    fills.push({ execution, numbers, before: holding, after });
    holding = after;
  }
  return { fills, after: holding, opens };
}

/** One execution before its consequences are known. */
interface Execution {
  readonly side: Side;
  readonly price: Decimal;
  /** Coins, > 0. */
  readonly size: Decimal;
  /** Decimals of the coin's lots. */
  readonly sizeDecimals: number;
  readonly liquidity: 'maker' | 'taker';
  /** Margin mode and leverage for a position that the fill opens; an existing position keeps its own. */
  readonly setting: LeverageSetting;
  /** Mark at which an isolated position releases margin; without one the position is valued at its entry. */
  readonly markPrice: Decimal | undefined;
  /** Of the account; absent = the service's. */
  readonly rates?: FeeRates;
}

/** The numbers that an `orderFilled` event carries. */
export interface FillNumbers extends LeverageSetting, ClosedPnl {
  /** USD, price times size. */
  readonly notional: Decimal;
  /** USD, cut after 6 decimals, for the whole fill. */
  readonly fee: Decimal;
  /** Signed position before the fill. */
  readonly startPosition: Decimal;
  readonly direction: string;
  /** USD from cash into the isolated margin (negative: back); absent for cross. */
  readonly marginMovedUsd?: Decimal;
  /** Coins of the fill that close, and that open or increase. They add up to its size. */
  readonly closedSize: Decimal;
  readonly openedSize: Decimal;
  /** What the closed part had cost when it was opened, USD. */
  readonly closedCost: Decimal;
}

/** Computes all numbers of one fill of an account that holds `position`. A fill that flips is one fill. */
export function fillNumbers(position: Position | undefined, execution: Execution): FillNumbers {
  const { side, price, size, sizeDecimals, liquidity, setting, rates } = execution;
  const { marginMode, leverage } = position ?? setting;
  const startPosition = position?.signedSize ?? ZERO;
  const closedSize = closingPart(position, side, size);
  const closes = position && !closedSize.isZero() ? position : undefined;
  const notional = price.times(size);
  const cost = closes ? closedCost(closes, closedSize) : ZERO;
  const closed = { price, size: closedSize, proceeds: price.times(closedSize), cost };
  const { closedPnl, exactPnl } = closes ? closedPnlOf(closes, closed, sizeDecimals) : NOTHING_CLOSED;
  const numbers = {
    notional,
    fee: feeOf(notional, liquidity, rates),
    closedPnl,
    exactPnl,
    startPosition,
    direction: directionOf(startPosition, side, size),
    marginMode,
    leverage,
    closedSize,
    openedSize: closes ? size.minus(closedSize) : size,
    closedCost: cost,
  };
  return marginMode === 'cross' ? numbers : { ...numbers, marginMovedUsd: marginMoved(position, execution, numbers) };
}

function directionOf(startPosition: Decimal, side: Side, size: Decimal): string {
  const isBuy = side === 'buy';
  if (startPosition.isZero() || startPosition.isPos() === isBuy) return isBuy ? 'Open Long' : 'Open Short';
  if (size.gt(startPosition.abs())) return isBuy ? 'Short > Long' : 'Long > Short';
  return isBuy ? 'Close Short' : 'Close Long';
}

type Parts = Pick<FillNumbers, 'fee' | 'closedSize' | 'openedSize' | 'leverage'>;

/**
 * USD that moves into the isolated margin. Opening moves the initial margin in; a partial close releases its share of
 * the position's equity at mark before the fill; a full close releases the rest, and a flip is a full close and an
 * opening. A voluntary close that loses more than the isolated margin is charged to cash.
 */
function marginMoved(position: Position | undefined, execution: Execution, parts: Parts): Decimal {
  const { fee, closedSize, openedSize } = parts;
  if (!position || closedSize.isZero()) return openingMargin(execution.price, parts);
  const held = position.signedSize.abs();
  if (closedSize.lt(held)) return partialRelease(position, execution, parts).neg();

  const openingFee = openedSize.isZero() ? ZERO : feeOf(execution.price.times(openedSize), execution.liquidity, execution.rates);
  const proceeds = position.signedSize.times(execution.price);
  const left = position.rawUsd.plus(proceeds).minus(fee.minus(openingFee));
  return openedSize.isZero() ? left.neg() : openingMargin(execution.price, parts).minus(left);
}

function openingMargin(price: Decimal, { openedSize, leverage }: Parts): Decimal {
  return cut6(price.times(openedSize).div(leverage));
}

function partialRelease(position: Position, { price, markPrice }: Execution, { fee, closedSize }: Parts): Decimal {
  const { signedSize, rawUsd } = position;
  const mark = markPrice ?? entryPriceOf(position);
  const equity = rawUsd.plus(markPrice ? signedSize.times(markPrice) : signedCost(position));
  const share = cut6(roundOffDust(equity.times(closedSize).div(signedSize.abs())));
  const kept = equity.minus(share);
  const gain = price
    .minus(mark)
    .times(signedSize.isPos() ? closedSize : closedSize.neg())
    .minus(fee);
  const beyond = kept.isNeg() ? gain : kept.plus(gain);
  return gain.isNeg() && beyond.isNeg() ? cut6(roundOffDust(share.plus(beyond))) : share;
}

type OfFees = Pick<Account, 'fork' | 'terms' | 'totals'>;

/**
 * The fee rates of an account: the service's own, those that its user has chosen, or those of the what-if that it is (trading-rules 7.1).
 * Whatever charges or foretells a fee asks here.
 * @param timeMs of the fill; the venue's tier by volume is that of its UTC day
 */
export function feeRatesOf({ fork, terms, totals }: OfFees, timeMs: number): FeeRates {
  if (fork === undefined && terms === undefined) return FEE_RATES;
  const ofWhatIf = fork?.terms?.fees;
  if (ofWhatIf) return read(ofWhatIf);
  const fees = terms?.fees;
  switch (fees?.kind) {
    case undefined:
      return FEE_RATES;
    case 'own':
      return read(fees);
    case 'tier':
      return ratesOfTier(fees.tier, fees.rebate);
    case 'volume':
      return ratesOfTier(tierOfVolume(tierVolume(totals.dailyVolumes, timeMs)));
  }
}

const read = ({ maker, taker }: { readonly maker: string; readonly taker: string }): FeeRates => ({
  maker: new Decimal(maker),
  taker: new Decimal(taker),
});
