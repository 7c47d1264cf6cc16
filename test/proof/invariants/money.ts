// Invariants about cash, positions and account value.

import { feeRatesOf } from '../../../src/actors/core/fills/fillPlan.ts';
import { EMPTY_HOUSE, houseAfter } from '../../../src/actors/core/history/houseLedger.ts';
import type { AccountEvent } from '../../../src/actors/core/messages/event.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import { demand, fillsOf, same, signedSizeOf, sum } from '../facts.ts';
import type { Invariant } from '../life.ts';

export const MONEY: readonly Invariant[] = [
  {
    name: 'invariant 1',
    says: 'cash and buckets are deposits, funding and what the house pays for take-overs, less what fills and fees cost, exactly',
    watch: () => {
      let wanted = ZERO;
      return ({ account, events }) => {
        for (const event of events) {
          if (event.type === 'accountOpened') wanted = wanted.plus(event.depositUsd);
          if (event.type === 'fundingSettled') wanted = wanted.plus(event.usd);
          if (event.type === 'orderFilled') wanted = wanted.minus(event.fee);
          if (isTraded(event) || event.type === 'positionClosed') wanted = wanted.minus(signedSizeOf(event).times(event.price));
          if (event.type === 'balanceAdjusted' || event.type === 'transferReceived') wanted = wanted.plus(event.usd);
          if (event.type === 'transferSent') wanted = wanted.minus(event.usd);
          if (event.type === 'accountReset') wanted = new Decimal(event.balanceUsd);
          if (event.type === 'positionTakenOver') wanted = wanted.plus(event.usd);
          if (event.type === 'liquidated') wanted = wanted.plus(event.paidUsd ?? 0);
        }
        same(account.cash.plus(sum([...account.positions.values()].map(({ rawUsd }) => rawUsd))), wanted, 'all margin pools');
      };
    },
  },
  {
    name: 'invariant 2',
    says: 'account, house and the counter-value of fills are together what was deposited: no event makes or destroys money',
    watch: () => {
      let house = EMPTY_HOUSE;
      let [deposits, counterValue] = [ZERO, ZERO];
      return ({ account, events }) => {
        for (const event of events) {
          house = houseAfter(house, event);
          if (event.type === 'accountOpened') deposits = deposits.plus(event.depositUsd);
          if (event.type === 'balanceAdjusted' || event.type === 'transferReceived') deposits = deposits.plus(event.usd);
          if (event.type === 'transferSent') deposits = deposits.minus(event.usd);
          if (event.type === 'accountReset') deposits = deposits.plus(event.balanceUsd).minus(event.withdrawnUsd);
          if (isTraded(event)) counterValue = counterValue.plus(signedSizeOf(event).times(event.price));
        }
        const pools = account.cash.plus(sum([...account.positions.values()].map(({ rawUsd }) => rawUsd)));
        same(pools.plus(house.cashUsd).plus(counterValue), deposits, 'account, house and counter-value');
      };
    },
  },
  {
    name: 'invariant 3',
    says: 'a position is the sum of its fills, take-overs included, and each fill knows the position before it',
    watch: () => {
      const sizes = new Map<number, Decimal>();
      return ({ account, events }) => {
        for (const fill of events) {
          if (!isTraded(fill) && fill.type !== 'positionTakenOver' && fill.type !== 'positionClosed') continue;
          const before = sizes.get(fill.asset) ?? ZERO;
          same(fill.startPosition, before, `startPosition of ${fill.tid}`);
          sizes.set(fill.asset, before.plus(signedSizeOf(fill)));
        }
        for (const [asset, size] of sizes) same(account.positions.get(asset)?.signedSize ?? ZERO, size, `position in ${asset}`);
        for (const asset of account.positions.keys()) demand(sizes.has(asset), `position in ${asset} without a fill`);
      };
    },
  },
  {
    name: 'invariant 5',
    says: 'account value is raw cash plus positions at mark, and the summary is cross and isolated together, field by field',
    watch: () => (moment) => {
      if (!moment.isNews) return;
      const { state, market } = moment;
      const { marginSummary: all, crossMarginSummary: cross, positions } = state;
      const atMark = sum(positions.map(({ asset, signedSize }) => markOf(market, asset).times(signedSize)));
      same(new Decimal(all.accountValue), atMark.plus(all.totalRawUsd), 'account value');
      const isolated = positions.filter(({ leverage }) => leverage.type === 'isolated');
      const raw = sum(isolated.map(({ leverage }) => new Decimal('rawUsd' in leverage ? leverage.rawUsd : 0)));
      const used = sum(isolated.map(({ marginUsed }) => new Decimal(marginUsed)));
      const notional = sum(isolated.map(({ positionValue }) => new Decimal(positionValue)));
      same(new Decimal(all.totalRawUsd).minus(cross.totalRawUsd), raw, 'raw USD of buckets');
      same(new Decimal(all.totalMarginUsed).minus(cross.totalMarginUsed), used, 'margin of buckets');
      same(new Decimal(all.accountValue).minus(cross.accountValue), used, 'equity of buckets');
      same(new Decimal(all.totalNotional).minus(cross.totalNotional), notional, 'notional of buckets');
    },
  },
  {
    name: 'invariant 6',
    says: 'without positions and orders value, cash and withdrawable are one; no position has size 0',
    watch: () => (moment) => {
      const { account } = moment;
      for (const { signedSize, marginMode, rawUsd } of account.positions.values()) {
        demand(!signedSize.isZero(), 'a position of size 0');
        demand(marginMode === 'isolated' || rawUsd.isZero(), 'a cross position with a bucket');
      }
      if (account.positions.size + account.orders.size > 0) return;
      const { marginSummary, withdrawable } = moment.state;
      same(new Decimal(marginSummary.accountValue), account.cash, 'account value');
      if (account.funding.size > 0) return;
      same(new Decimal(withdrawable), Decimal.max(0, account.cash), 'withdrawable');
    },
  },
  {
    name: 'invariant 22',
    says: 'what happens in one coin leaves the bucket of another alone',
    watch: () => (moment) => {
      const { account, events } = moment;
      const hasBucket = [...account.positions.values()].some(({ marginMode }) => marginMode === 'isolated');
      if (!hasBucket && !fillsOf(events).some(({ marginMode }) => marginMode === 'isolated')) return;
      const { before } = moment;
      const touched = new Set(events.flatMap((event) => ('asset' in event ? [event.asset] : [])));
      for (const { asset, marginMode, rawUsd, signedSize } of before.positions.values()) {
        if (marginMode === 'cross' || touched.has(asset)) continue;
        const after = account.positions.get(asset);
        same(after?.rawUsd ?? 'gone', rawUsd, `bucket of ${asset}`);
        same(after?.signedSize ?? 'gone', signedSize, `position in ${asset}`);
      }
      const moved = fillsOf(events).filter((fill) => fill.marginMode === 'isolated');
      const isCashTouched = events.some(
        (event) => event.type !== 'orderFilled' && event.type !== 'orderRested' && event.type !== 'orderEnded',
      );
      if (moved.length === 0 || moved.length < fillsOf(events).length || isCashTouched) return;
      const margin = sum(moved.map(({ marginMovedUsd }) => new Decimal(marginMovedUsd ?? 'NaN')));
      same(account.cash, before.cash.minus(margin), 'cross cash beside isolated fills');
    },
  },
  {
    name: 'invariant 23',
    says: 'a fee or rebate is the exact one cut by less than a micro-USD, at the rates of the moment',
    watch:
      () =>
      ({ before, entries }) => {
        for (const { events, timeMs } of entries) {
          // Due work is done under the earlier terms: no step changes terms and trades.
          const rates = feeRatesOf(before, timeMs);
          for (const { tid, price, size, fee, liquidity } of fillsOf(events)) {
            const exact = new Decimal(price).times(size).times(rates[liquidity]);
            const cut = exact.minus(fee).times(exact.isNeg() ? -1 : 1);
            demand(cut.gte(0) && cut.lt('0.000001'), `fee ${fee} of ${tid} is off by ${cut.toString()}`);
          }
        }
      },
  },
];

/** Coins for money at a price: an order's fill, or the settlement of a delisted coin. */
function isTraded(event: AccountEvent): event is Extract<AccountEvent, { type: 'orderFilled' | 'positionSettled' }> {
  return event.type === 'orderFilled' || event.type === 'positionSettled';
}

function markOf(market: { prices(asset: number): { markPrice: Decimal } | undefined }, asset: number): Decimal {
  return market.prices(asset)?.markPrice ?? new Decimal(Number.NaN);
}
