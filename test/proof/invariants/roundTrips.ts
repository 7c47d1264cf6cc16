// Round trips kept a second time, from fills and payments alone and in exact rationals: money in less money out, from flat to flat.
import type { AccountEvent } from '../../../src/actors/core/messages/event.ts';
import type { TripSums } from '../../../src/actors/core/messages/historyRows.ts';
import { Fraction, NOTHING } from '../../support/fraction.ts';
import { demand, same } from '../facts.ts';
import type { Invariant } from '../life.ts';
import { expectSame } from '../secondAccount.ts';

interface Trip {
  size: Fraction;
  sizeMax: Fraction;
  /** USD in less USD out for coins. */
  money: Fraction;
  opened: Fraction;
  openedUsd: Fraction;
  fees: Fraction;
  funding: Fraction;
  fills: number;
  readonly timeMs: number;
  readonly seq: number;
}

type Ending = Extract<AccountEvent, { type: 'orderFilled' | 'positionTakenOver' | 'positionClosed' | 'positionSettled' }>;

export const ROUND_TRIPS: Invariant = {
  name: 'invariant 33',
  says: 'a fill carries the round trip that it ends, and its sums are those of its fills and payments; realized PnL, fees and the running sums are those of all',
  watch: () => {
    const open = new Map<number, Trip>();
    let [pnl, fees] = [NOTHING, NOTHING];
    let sums = { long: nothingSummed(), short: nothingSummed() };
    return ({ account, entries }) => {
      for (const { events, timeMs, seq } of entries) {
        for (const event of events) {
          if (event.type === 'fundingSettled') {
            const trip = open.get(event.asset);
            if (trip) trip.funding = trip.funding.plus(Fraction.of(event.sinceOpenUsd));
          }
          if (event.type === 'accountReset') {
            [pnl, fees] = [NOTHING, NOTHING];
            sums = { long: nothingSummed(), short: nothingSummed() };
          }
          if (!isFill(event)) continue;
          const ended = follow(open, event, { timeMs, seq });
          same(event.trip === undefined, ended === undefined, `fill ${event.tid} ends a round trip`);
          if (ended === undefined || event.trip === undefined) continue;
          const { openedAtMs, openedSeq, fills, direction, sums: running, ...of } = event.trip;
          same(
            [openedAtMs, openedSeq, fills].join(),
            [ended.timeMs, ended.seq, ended.fills].join(),
            `times of the trip of ${event.tid}`,
          );
          same(direction, ended.size.sign() > 0 ? 'long' : 'short', 'direction of a trip');
          expectSame(of.sizeMax, ended.sizeMax, 'largest size of a trip');
          expectSame(of.openedSize, ended.opened, 'opened size of a trip');
          expectSame(of.openedUsd, ended.openedUsd, 'opened notional of a trip');
          expectSame(of.pnlUsd, ended.money, `PnL of the trip of ${event.tid}`);
          expectSame(of.feesUsd, ended.fees, `fees of the trip of ${event.tid}`);
          expectSame(of.fundingUsd, ended.funding, `funding of the trip of ${event.tid}`);
          pnl = pnl.plus(ended.money);
          fees = fees.plus(ended.fees);
          addUp(sums[direction], ended, timeMs);
          expectSums(running, sums);
        }
      }
      let [allPnl, allFees] = [pnl, fees];
      for (const { trip } of account.positions.values()) {
        allPnl = allPnl.plus(Fraction.of(trip.pnlUsd.toFixed()));
        allFees = allFees.plus(Fraction.of(trip.feesUsd.toFixed()));
      }
      expectSame(account.totals.realizedPnlUsd.toFixed(), allPnl, 'realized PnL of all round trips');
      expectSame(account.totals.feesUsd.toFixed(), allFees, 'fees of all round trips');
      expectSums(account.tripSums ?? {}, sums);
      same([...open.keys()].sort().join(), [...account.positions.keys()].sort().join(), 'coins with an open round trip');
    };
  },
};

interface Summed {
  trips: number;
  wins: number;
  losses: number;
  heldMs: number;
  won: Fraction;
  lost: Fraction;
  fees: Fraction;
  funding: Fraction;
}

const nothingSummed = (): Summed => ({
  ...{ trips: 0, wins: 0, losses: 0, heldMs: 0, won: NOTHING, lost: NOTHING, fees: NOTHING, funding: NOTHING },
});

function addUp(sums: Summed, trip: Trip, timeMs: number): void {
  const net = trip.money.minus(trip.fees).plus(trip.funding);
  sums.trips += 1;
  if (net.sign() > 0) sums.wins += 1;
  if (net.sign() < 0) sums.losses += 1;
  sums.heldMs += timeMs - trip.timeMs;
  sums[net.sign() > 0 ? 'won' : 'lost'] = sums[net.sign() > 0 ? 'won' : 'lost'].plus(net);
  sums.fees = sums.fees.plus(trip.fees);
  sums.funding = sums.funding.plus(trip.funding);
}

function expectSums(told: TripSums, sums: Readonly<Record<'long' | 'short', Summed>>): void {
  for (const direction of ['long', 'short'] as const) {
    const [of, wanted] = [told[direction], sums[direction]];
    same(of === undefined, wanted.trips === 0, `sums of ${direction} round trips`);
    if (of === undefined) continue;
    same(
      [of.trips, of.wins, of.losses, of.heldMs].join(),
      [wanted.trips, wanted.wins, wanted.losses, wanted.heldMs].join(),
      `counts of ${direction} round trips`,
    );
    expectSame(of.wonUsd, wanted.won, `what ${direction} round trips won`);
    expectSame(of.lostUsd, wanted.lost, `what ${direction} round trips lost`);
    expectSame(of.feesUsd, wanted.fees, `fees of ${direction} round trips`);
    expectSame(of.fundingUsd, wanted.funding, `funding of ${direction} round trips`);
  }
}

const isFill = (event: AccountEvent): event is Ending => 'tid' in event && 'startPosition' in event && 'closedPnl' in event;

/** Adds the fill up. @returns the round trip that it ends, with the size that it had before */
function follow(open: Map<number, Trip>, event: Ending, at: { timeMs: number; seq: number }): Trip | undefined {
  const { asset, side } = event;
  const sign = Fraction.of(side === 'buy' ? '1' : '-1');
  const [size, price] = [Fraction.of(event.size), Fraction.of(event.price)];
  const fee = event.type === 'orderFilled' ? Fraction.of(event.fee) : NOTHING;
  const trip = open.get(asset);
  const after = (trip?.size ?? NOTHING).plus(size.times(sign));
  const flips = trip !== undefined && trip.size.sign() * after.sign() < 0;
  const isClosing = trip !== undefined && trip.size.sign() !== sign.sign();
  const closed = !isClosing ? NOTHING : flips ? trip.size.magnitude() : size;
  const opened = size.minus(closed);
  const closingFee = flips ? fee.times(closed).over(size).cut(6) : fee;
  if (trip !== undefined) {
    const usd = event.type === 'positionTakenOver' ? Fraction.of(event.usd) : price.times(closed).times(sign).negated();
    trip.fills += 1;
    trip.fees = trip.fees.plus(closingFee);
    if (isClosing) trip.money = trip.money.plus(usd);
    else add(trip, size, price, sign);
    if (after.sign() !== 0 && !flips) {
      trip.size = after;
      if (after.magnitude().compare(trip.sizeMax) > 0) trip.sizeMax = after.magnitude();
      return undefined;
    }
    open.delete(asset);
  }
  if (after.sign() !== 0) {
    const begun: Trip = {
      ...{ size: after, sizeMax: after.magnitude(), money: NOTHING, opened: NOTHING, openedUsd: NOTHING, funding: NOTHING },
      ...{ fees: flips ? fee.minus(closingFee) : fee, fills: 1, ...at },
    };
    add(begun, opened, price, sign);
    open.set(asset, begun);
  }
  demand(trip === undefined || isClosing, 'only what closes ends a round trip');
  return trip;
}

/** Money is what came in less what went out: it is the PnL once all coins are gone. */
function add(trip: Trip, size: Fraction, price: Fraction, sign: Fraction): void {
  trip.opened = trip.opened.plus(size);
  trip.openedUsd = trip.openedUsd.plus(size.times(price));
  trip.money = trip.money.minus(size.times(price).times(sign));
}
