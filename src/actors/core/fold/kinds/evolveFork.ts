// What a fork takes over of the state that it begins with, and what it does not: docs/fork.md has the list. A function of the event and
// its time alone, so that a replay gives the same account.
import { hourOf } from '../../../../market/domain/fundingHour.ts';
import { Decimal, ZERO } from '../../../../shared/domain/decimal.ts';
import type { Account, Position, WaitingOrder } from '../../account/account.ts';
import { accrue, type CoinFunding } from '../../account/fundingAccrual.ts';
import { OpenOrderBook } from '../../account/openOrderBook.ts';
import { OrderMap } from '../../account/orderMap.ts';
import { readSnapshot } from '../../account/snapshot.ts';
import { termsFromNow } from '../../account/terms/termsState.ts';
import type { Twap } from '../../account/twap.ts';
import type { AccountEvent } from '../../messages/event.ts';
import type { OrderNote } from '../../messages/lab/labNote.ts';

type Forked = Extract<AccountEvent, { type: 'forked' }>;
type WritableState = { -readonly [Field in keyof Account]: Account[Field] };

/** The account's own are its id, its numbers of rows, and what it remembers of commands. */
export function evolveFork(
  state: WritableState,
  { of, seq, hash, terms, state: stored, resting, usd: text }: Forked,
  timeMs: number,
): void {
  const source = readSnapshot(stored);
  const passedMs = Math.max(0, timeMs - source.timeMs);
  const usd = new Decimal(text);
  // Its deposit is another one than the source's: the same losses are left of what both have gained.
  const shift = source.totals.netDepositsUsd.minus(usd);
  Object.assign(state, {
    openedAtMs: timeMs,
    cash: source.cash,
    positions: positionsOf(source),
    orders: ordersOf(source, resting),
    triggers: triggersOf(source),
    leverage: new Map(source.leverage),
    scheduledCancel: movedBy(source.scheduledCancel, passedMs),
    twaps: twapsOf(source, passedMs),
    funding: fundingOf(source, timeMs),
    totals: { ...source.totals, netDepositsUsd: usd, realizedPnlUsd: ZERO, feesUsd: ZERO, fundingUsd: ZERO },
    ...(source.addressLimit && { addressLimit: source.addressLimit }),
    ...(source.dayStart && { dayStart: { ...source.dayStart, resultUsd: source.dayStart.resultUsd.plus(shift) } }),
    ...termsFromNow(source.terms),
    ...(source.house && { house: { ...source.house, peakUsd: source.house.peakUsd.plus(shift) } }),
    fork: { of, seq, hash, ...(terms && { terms }), timeMs: source.timeMs, usd, ...(terms && { received: 0 }) },
  } satisfies Partial<Account>);
}

/** Their round trips began before the fork's own history. */
const positionsOf = ({ positions }: Account): Map<number, Position> =>
  new Map([...positions].map(([asset, position]) => [asset, { ...position, trip: { ...position.trip, openedSeq: 0 } }]));

/** The same oids and cloids: a program that goes on with the fork knows them. */
function ordersOf({ orders }: Account, resting: Forked['resting']): OpenOrderBook {
  const places = new Map(resting);
  return new OpenOrderBook([...orders].map(([oid, order]) => [oid, { ...order, resting: places.get(oid) ?? order.resting }]));
}

/** They fire without the script of a failure lab: the fork has none, and what it held is held no more. */
const triggersOf = ({ triggers }: Account): OrderMap<WaitingOrder> =>
  new OrderMap([...triggers].map(([oid, { lab, ...order }]) => [oid, { ...order, ...(lab && { lab: lab.map(withoutScript) }) }]));

const withoutScript = ({ script: _, ...note }: OrderNote): OrderNote => note;

const movedBy = ({ dueMs, ...firings }: Account['scheduledCancel'], passedMs: number): Account['scheduledCancel'] => ({
  dueMs: dueMs === undefined ? undefined : dueMs + passedMs,
  ...firings,
});

const twapsOf = ({ twaps }: Account, passedMs: number): Map<number, Twap> =>
  new Map([...twaps].map(([id, twap]) => [id, { ...twap, startedAtMs: twap.startedAtMs + passedMs }]));

/** What is owed up to the entry is owed; the hours between it and the fork are nobody's. */
function fundingOf({ funding, positions, timeMs: entryMs }: Account, timeMs: number): Map<number, CoinFunding> {
  const hourMs = hourOf(timeMs);
  const own = new Map<number, CoinFunding>();
  for (const [asset, before] of funding) {
    const size = positions.get(asset)?.signedSize;
    const accrued = accrue(before, { coin: before.coin, before: size, after: size, timeMs: entryMs });
    if (accrued === undefined) continue;
    const { accruedToMs } = accrued;
    own.set(asset, { ...accrued, accruedToMs: accruedToMs === undefined ? undefined : Math.max(accruedToMs, hourMs) });
  }
  return own;
}
