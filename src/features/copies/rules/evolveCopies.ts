// How events change what an account has as a copy of another account or of an address.

import type { Account, LeverageSetting, Position, WaitingOrder } from '../../../actors/core/account/account.ts';
import { readSnapshot } from '../../../actors/core/account/accountCodec.ts';
import {
  type Following,
  NO_WHAT_IFS,
  noteSeen,
  type SeenOrder,
  withChange,
  withCommand,
  withHeard,
  withWhatIf,
} from '../../../actors/core/account/copies.ts';
import { accrue, type CoinFunding } from '../../../actors/core/account/fundingAccrual.ts';
import { OpenOrderBook } from '../../../actors/core/account/openOrderBook.ts';
import { OrderMap } from '../../../actors/core/account/orderMap.ts';
import { termsFromNow } from '../../../actors/core/account/terms.ts';
import type { Twap } from '../../../actors/core/account/twap.ts';
import type { EventOf, EvolveSteps } from '../../../actors/core/fold/evolve.ts';
import type { WritableAccount } from '../../../actors/core/fold/writableAccount.ts';
import { foundTrip, signedCost } from '../../../actors/core/margin/position.ts';
import type { OrderNote } from '../../../actors/core/messages/labNote.ts';
import { hourOf } from '../../../market/domain/fundingRecords.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';

// What a fork takes over of the state that it begins with, and what it does not: docs/copies.md has the list. A function of the event and
// its time alone, so that a replay gives the same account.

type Forked = EventOf<'forked'>;

/** The account's own are its id, its numbers of rows, and what it remembers of commands. */
function evolveFork(
  { account }: WritableAccount,
  { of, seq, hash, terms, state: stored, resting, usd: text }: Forked,
  timeMs: number,
): void {
  const source = readSnapshot(stored);
  const passedMs = Math.max(0, timeMs - source.timeMs);
  const usd = new Decimal(text);
  // Its deposit is another one than the source's: the same losses are left of what both have gained.
  const shift = source.totals.netDepositsUsd.minus(usd);
  Object.assign(account, {
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

/** How events change what an account knows of its what-ifs, and a what-if of its source. */
const whatIfSteps: EvolveSteps<'mirrorAdded' | 'commandMirrored' | 'mirrorSettled' | 'mirrorEnded' | 'mirrorReceived'> = {
  mirrorAdded({ account }, { to }) {
    account.mirrors = withWhatIf(account.mirrors ?? NO_WHAT_IFS, to);
  },
  commandMirrored({ account }, { number, command }) {
    account.mirrors = withCommand(account.mirrors ?? NO_WHAT_IFS, { number, command });
  },
  mirrorSettled({ account }, { to, through }) {
    account.mirrors = withChange(account.mirrors ?? NO_WHAT_IFS, to, { through });
  },
  mirrorEnded({ account }, { to, why }) {
    account.mirrors = withChange(account.mirrors ?? NO_WHAT_IFS, to, { ended: why });
  },
  mirrorReceived({ account }, { of, number }) {
    assert(account.fork, `a command of ${of} came to an account that is no what-if`);
    account.fork = { ...account.fork, received: number };
  },
};

type Imported = EventOf<'imported'>;

/**
 * What an import makes of an empty account: the positions with their leverage, and the cash that makes its balance the one that it begins
 * with. Its orders follow as events of their own. What the positions have gained or lost before is the address's past: it is no loss of
 * this day, and no drawdown, here. A function of the event and its time alone.
 */
function evolveImport({ account: state }: WritableAccount, event: Imported, timeMs: number): void {
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

/** How events change what an account knows of the address that it follows. */
const followSteps: EvolveSteps<
  ('followBegun' | 'followEnded' | 'followTermBegun') | ('sourceOrderSeen' | 'sourceOrderEnded' | 'sourceFilled' | 'sourceTaken')
> = {
  followBegun({ account }, { id, sinceMs, orders }) {
    const copies = orders.map(([oid, sourceOid]) => [sourceOid, { oid, before: '0', taken: '0' }] as const);
    account.following = { id, term: 0, sinceMs, cursorMs: sinceMs, floorMs: sinceMs - 1, heard: [], orders: new Map(copies) };
  },
  followEnded({ account }) {
    account.following = undefined;
  },
  followTermBegun(writable, { term }) {
    writable.account.following = { ...followingOf(writable), term };
  },
  sourceOrderSeen(writable, { sourceOid, oid, before }) {
    const { taken, ordered } = followingOf(writable).orders.get(sourceOid) ?? { taken: '0' };
    noteSeen(writable.seenOrders(), sourceOid, {
      ...(oid !== undefined && { oid }),
      before,
      taken,
      ...(ordered !== undefined && { ordered }),
    });
  },
  sourceOrderEnded(writable, { sourceOid }) {
    noteSeen(writable.seenOrders(), sourceOid, { ...seenOrder(writable, sourceOid), isOver: true });
  },
  sourceTaken(writable, { sourceOid, size }) {
    const seen = seenOrder(writable, sourceOid);
    noteSeen(writable.seenOrders(), sourceOid, { ...seen, ordered: new Decimal(seen.ordered ?? 0).plus(size).toString() });
  },
  sourceFilled(writable, { sourceOid, timeMs, tid, taken }) {
    const following = followingOf(writable);
    const seen = following.orders.get(sourceOid) ?? { taken: '0', isOver: true as const };
    const orders = writable.seenOrders();
    writable.account.following = { ...withHeard(following, { timeMs, tid, oid: sourceOid }), orders };
    noteSeen(orders, sourceOid, { ...seen, taken: new Decimal(seen.taken).plus(taken).toString() });
  },
};

function followingOf({ account: { following } }: WritableAccount): Following {
  assert(following, 'the account follows no address');
  return following;
}

function seenOrder(writable: WritableAccount, sourceOid: number): SeenOrder {
  const seen = followingOf(writable).orders.get(sourceOid);
  assert(seen, `order ${sourceOid} of the address was not seen`);
  return seen;
}

export const copySteps = { forked: evolveFork, imported: evolveImport, ...whatIfSteps, ...followSteps };
