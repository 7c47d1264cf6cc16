// How events change what an account has as a copy of another account or of an address.
import { hourOf } from '../../../market/domain/fundingRecords.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account, LeverageSetting, Position, WaitingOrder } from '../account/account.ts';
import { readSnapshot } from '../account/accountCodec.ts';
import { NO_WHAT_IFS, noteSeen, withChange, withCommand, withHeard, withWhatIf } from '../account/copies.ts';
import { accrue, type CoinFunding } from '../account/fundingAccrual.ts';
import { OpenOrderBook } from '../account/openOrderBook.ts';
import { OrderMap } from '../account/orderMap.ts';
import { termsFromNow } from '../account/terms.ts';
import type { Twap } from '../account/twap.ts';
import { foundTrip, signedCost } from '../margin/position.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { OrderNote } from '../messages/labNote.ts';
import type { WritableAccount } from './writableAccount.ts';

// What a fork takes over of the state that it begins with, and what it does not: docs/fork.md has the list. A function of the event and
// its time alone, so that a replay gives the same account.

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

type WhatIfEvent = Extract<
  AccountEvent,
  { type: 'mirrorAdded' | 'commandMirrored' | 'mirrorSettled' | 'mirrorEnded' | 'mirrorReceived' }
>;
type WritableCopies = { -readonly [Field in keyof Pick<Account, 'mirrors' | 'fork'>]: Account[Field] };

/** What an account knows of its what-ifs, and a what-if of its source, after an event. */
export function evolveWhatIfs(state: WritableCopies, event: WhatIfEvent): void {
  const { mirrors = NO_WHAT_IFS } = state;
  switch (event.type) {
    case 'mirrorAdded':
      state.mirrors = withWhatIf(mirrors, event.to);
      return;
    case 'commandMirrored':
      state.mirrors = withCommand(mirrors, { number: event.number, command: event.command });
      return;
    case 'mirrorSettled':
      state.mirrors = withChange(mirrors, event.to, { through: event.through });
      return;
    case 'mirrorEnded':
      state.mirrors = withChange(mirrors, event.to, { ended: event.why });
      return;
    case 'mirrorReceived':
      assert(state.fork, `a command of ${event.of} came to an account that is no what-if`);
      state.fork = { ...state.fork, received: event.number };
  }
}

type Imported = Extract<AccountEvent, { type: 'imported' }>;

/**
 * What an import makes of an empty account: the positions with their leverage, and the cash that makes its balance the one that it begins
 * with. Its orders follow as events of their own. What the positions have gained or lost before is the address's past: it is no loss of
 * this day, and no drawdown, here. A function of the event and its time alone.
 */
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

type FollowingEvent = Extract<
  AccountEvent,
  {
    type:
      | ('followBegun' | 'followEnded' | 'followTermBegun')
      | ('sourceOrderSeen' | 'sourceOrderEnded' | 'sourceFilled' | 'sourceTaken');
  }
>;

/** What an account knows of the address that it follows, after an event. */
export function evolveFollowing(writable: WritableAccount, event: FollowingEvent): void {
  const { account } = writable;
  if (event.type === 'followBegun') {
    const { id, sinceMs, orders } = event;
    const copies = orders.map(([oid, sourceOid]) => [sourceOid, { oid, before: '0', taken: '0' }] as const);
    account.following = { id, term: 0, sinceMs, cursorMs: sinceMs, floorMs: sinceMs - 1, heard: [], orders: new Map(copies) };
    return;
  }
  if (event.type === 'followEnded') {
    account.following = undefined;
    return;
  }
  const { following } = account;
  assert(following, `${event.type} in an account that follows no address`);
  if (event.type === 'followTermBegun') {
    account.following = { ...following, term: event.term };
    return;
  }
  const { sourceOid } = event;
  const seen = following.orders.get(sourceOid);
  const orders = writable.seenOrders();
  switch (event.type) {
    case 'sourceOrderSeen': {
      const { oid, before } = event;
      const { taken, ordered } = seen ?? { taken: '0' };
      noteSeen(orders, sourceOid, {
        ...(oid !== undefined && { oid }),
        before,
        taken,
        ...(ordered !== undefined && { ordered }),
      });
      return;
    }
    case 'sourceOrderEnded':
      assert(seen, `order ${sourceOid} of the address was not seen`);
      noteSeen(orders, sourceOid, { ...seen, isOver: true });
      return;
    case 'sourceTaken':
      assert(seen, `order ${sourceOid} of the address was not heard of`);
      noteSeen(orders, sourceOid, { ...seen, ordered: new Decimal(seen.ordered ?? 0).plus(event.size).toString() });
      return;
    default: {
      const { timeMs, tid, taken: part } = event;
      account.following = { ...withHeard(following, { timeMs, tid, oid: sourceOid }), orders };
      const before = seen ?? { taken: '0', isOver: true as const };
      noteSeen(orders, sourceOid, { ...before, taken: new Decimal(before.taken).plus(part).toString() });
    }
  }
}
