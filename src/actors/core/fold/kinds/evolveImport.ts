// What an import makes of an empty account: the positions with their leverage, and the cash that makes its balance the one that it begins
// with. Its orders follow as events of their own. What the positions have gained or lost before is the address's past: it is no loss of
// this day, and no drawdown, here. A function of the event and its time alone.
import { Decimal, ZERO } from '../../../../shared/domain/decimal.ts';
import type { Account, LeverageSetting, Position } from '../../account/account.ts';
import { accrue, type CoinFunding } from '../../account/fundingAccrual.ts';
import { signedCost } from '../../margin/position.ts';
import { foundTrip } from '../../margin/roundTrip.ts';
import type { AccountEvent } from '../../messages/event.ts';

type Imported = Extract<AccountEvent, { type: 'imported' }>;
type WritableState = { -readonly [Field in keyof Account]: Account[Field] };

export function evolveImport(state: WritableState, event: Imported, timeMs: number): void {
  const { source, scale } = event;
  const usd = new Decimal(event.usd);
  const gainedBefore = new Decimal(event.accountValue).times(scale).minus(usd);
  const positions = new Map<number, Position>();
  const leverage = new Map<number, LeverageSetting>(state.leverage);
  const funding = new Map<number, CoinFunding>(state.funding);
  let cash = state.cash.plus(usd);
  for (const taken of event.positions) {
    const position = toPosition(taken, timeMs);
    const { asset, coin, signedSize, marginMode } = position;
    positions.set(asset, position);
    leverage.set(asset, { marginMode, leverage: position.leverage });
    cash = cash.minus(signedCost(position)).minus(position.rawUsd);
    const accrued = accrue(funding.get(asset), { coin, before: undefined, after: signedSize, timeMs });
    if (accrued !== undefined) funding.set(asset, accrued);
  }
  Object.assign(state, {
    cash,
    positions,
    leverage,
    funding,
    totals: { ...state.totals, netDepositsUsd: state.totals.netDepositsUsd.plus(usd) },
    imported: { source, scale, seq: state.seq + 1, timeMs, usd },
    ...(state.dayStart && { dayStart: { ...state.dayStart, resultUsd: state.dayStart.resultUsd.plus(gainedBefore) } }),
    ...(state.house && { house: { ...state.house, peakUsd: state.house.peakUsd.plus(gainedBefore) } }),
  } satisfies Partial<Account>);
}

function toPosition(
  { asset, coin, marginMode, leverage, ...texts }: Imported['positions'][number],
  openedAtMs: number,
): Position {
  const signedSize = new Decimal(texts.signedSize);
  const size = signedSize.abs();
  const entryNotional = size.times(texts.entryPrice);
  return {
    ...{ asset, coin, signedSize, marginMode, leverage },
    entryNotional,
    rawUsd: new Decimal(texts.rawUsd),
    funding: { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO },
    trip: foundTrip(size, entryNotional, openedAtMs),
  };
}
