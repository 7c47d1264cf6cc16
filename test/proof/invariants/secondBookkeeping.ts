// The second bookkeeping beside the rules: it is told what happened (fills, deposits, marks, settings) and works every
// number out for itself, in exact rationals and without a line of the exchange's code.

import { freeMargin } from '../../../src/actors/domain/margin.ts';
import type { AccountStateView } from '../../../src/actors/domain/outcome.ts';
import { hourOf } from '../../../src/market/domain/fundingHour.ts';
import type { MarketView } from '../../../src/market/domain/marketView.ts';
import { Fraction, NOTHING } from '../../support/fraction.ts';
import { FundingOracle } from '../../support/fundingOracle.ts';
import { LedgerOracle } from '../../support/ledgerOracle.ts';
import { marginFigures, type OracleCoin, type OracleFigures } from '../../support/marginOracle.ts';
import { demand, same } from '../facts.ts';
import type { Invariant } from '../life.ts';

/** Margin quotients of the rules end after 40 decimals. */
const DUST = Fraction.of(`0.${'0'.repeat(29)}1`);

export const SECOND_BOOKKEEPING: Invariant = {
  name: 'a second bookkeeping',
  says: 'exact rationals agree on every number of every fill, on all pockets, and on every figure of margin',
  watch: () => {
    const ledger = new LedgerOracle();
    const settings = new Map<number, { marginMode: 'cross' | 'isolated'; leverage: number }>();
    const funding = new FundingOracle();
    return ({ entries, isNews, state, account, market }) => {
      if (!isNews) return;
      const rateOf = (asset: number) => (hourMs: number) => {
        const known = market.fundingRate(asset, hourMs);
        return known && { rate: known.rate.toFixed(), oraclePrice: known.oraclePrice.toFixed() };
      };
      for (const { event, timeMs } of entries.flatMap((entry) =>
        entry.events.map((event) => ({ event, timeMs: entry.timeMs })),
      )) {
        if (event.type === 'isolatedMarginMoved') ledger.moveMargin(event.asset, Fraction.of(event.usd));
        if (event.type === 'fundingSettled') {
          const { asset, usd, bucketUsd = '0', hours } = event;
          const wanted = funding.settle(asset, hourOf(timeMs), rateOf(asset));
          const isIsolated = account.positions.get(asset)?.marginMode === 'isolated';
          expectSame(usd, wanted.usd, `funding of ${asset}`);
          expectSame(bucketUsd, isIsolated ? wanted.ofOpenPosition : NOTHING, `funding of ${asset} for its bucket`);
          same(String(hours), String(wanted.hours), `funding hours of ${asset}`);
          ledger.fund(asset, wanted.usd, isIsolated ? wanted.ofOpenPosition : NOTHING);
        }
        if (event.type === 'accountOpened') ledger.deposit(event.depositUsd);
        if (event.type === 'leverageSet') settings.set(event.asset, event);
        if (event.type === 'positionTakenOver') ledger.house(event);
        if (event.type === 'liquidated') ledger.house({ marginMode: event.marginMode, usd: event.paidUsd ?? '0' });
        if (event.type !== 'orderFilled') continue;
        const setting = settings.get(event.asset) ?? defaultSetting(event.asset, market);
        const numbers = ledger.fill({ ...event, ...setting, markPrice: markOf(event.asset, market) });
        const { fee, closedPnl, startPosition, marginMovedUsd = '0', tid } = event;
        const seen = { fee, closedPnl, startPosition, marginMovedUsd };
        same(JSON.stringify(seen), JSON.stringify(numbers), `fill ${tid}`);
        funding.changed(event.asset, ledger.pockets.held.get(event.asset)?.size ?? NOTHING, timeMs);
      }
      same(String(ledger.isConserved), 'true', 'conservation');
      const { cash, held } = ledger.pockets;
      expectSame(account.cash.toFixed(), cash, 'cash');
      same([...account.positions.keys()].sort((a, b) => a - b).join(), ledger.assets.join(), 'coins held');
      for (const [asset, { size, bucket, cost }] of held) {
        const position = account.positions.get(asset);
        expectSame(position?.signedSize.toFixed() ?? '0', size, `size of ${asset}`);
        expectSame(position?.rawUsd.toFixed() ?? '0', bucket, `bucket of ${asset}`);
        expectSame(position?.entryNotional.toFixed() ?? '0', cost, `cost of ${asset}`);
      }
      const coinOf = (asset: number): OracleCoin => ({
        ...(settings.get(asset) ?? defaultSetting(asset, market)),
        markPrice: markOf(asset, market),
        tiers: (market.asset(asset)?.marginTiers ?? []).map(({ lowerBound, maxLeverage }) => ({
          lowerBound: lowerBound.toFixed(),
          maxLeverage,
        })),
      });
      const pending = funding.assets.reduce(
        (sum, asset) => sum.plus(funding.pending(asset, market.fundingHourMs, rateOf(asset)).usd),
        NOTHING,
      );
      const figures = marginFigures(ledger, coinOf, [...account.orders.values()], pending);
      expectFigures(state, freeMargin(account, market).toFixed(), figures);
    };
  },
};

function expectFigures(state: AccountStateView, free: string, wanted: OracleFigures): void {
  const { accountValue, totalRawUsd, totalNotional, totalMarginUsed } = state.marginSummary;
  expectSame(accountValue, wanted.accountValue, 'accountValue');
  expectSame(totalRawUsd, wanted.totalRawUsd, 'totalRawUsd');
  expectSame(totalNotional, wanted.totalNotional, 'totalNtlPos');
  expectSame(totalMarginUsed, wanted.totalMarginUsed, 'totalMarginUsed');
  expectSame(state.crossMarginSummary.accountValue, wanted.crossValue, 'crossMarginSummary.accountValue');
  expectSame(state.crossMaintenanceMarginUsed, wanted.crossMaintenance, 'crossMaintenanceMarginUsed');
  expectSame(state.withdrawable, wanted.withdrawable, 'withdrawable');
  expectSame(free, wanted.free, 'free margin');
}

function expectSame(seen: string, wanted: Fraction, what: string): void {
  const isNear = Fraction.of(seen).minus(wanted).magnitude().compare(DUST) < 0;
  demand(isNear, () => `${what} is ${seen} and should be ${wanted.text()}`);
}

/** 4.2: isolated where nothing else is allowed, 20x or the coin's maximum. */
function defaultSetting(asset: number, market: MarketView): { marginMode: 'cross' | 'isolated'; leverage: number } {
  const { maxLeverage = 1, onlyIsolated = false } = market.asset(asset) ?? {};
  return { marginMode: onlyIsolated ? 'isolated' : 'cross', leverage: Math.min(20, maxLeverage) };
}

function markOf(asset: number, market: MarketView): string {
  return market.prices(asset)?.markPrice.toFixed() ?? '0';
}
