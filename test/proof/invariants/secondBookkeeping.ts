// The second bookkeeping beside the rules, in every random life.
import { freeMargin } from '../../../src/actors/core/margin/margin.ts';
import type { AccountStateView } from '../../../src/actors/core/messages/accountFigures.ts';
import { hourOf } from '../../../src/market/domain/fundingRecords.ts';
import type { OracleFigures } from '../../support/marginOracle.ts';
import type { Invariant } from '../life.ts';
import { expectSame, SecondAccount } from '../secondAccount.ts';

export const SECOND_BOOKKEEPING: Invariant = {
  name: 'a second bookkeeping',
  says: 'exact rationals agree on every number of every fill, on all margin pools, and on every figure of margin',
  watch: () => {
    const second = new SecondAccount();
    return (moment) => {
      if (!moment.isNews) return;
      const { entries, state, account, market, step, events } = moment;
      for (const { events, timeMs } of entries) for (const event of events) second.see(event, timeMs, market);
      second.expectPools(account);
      if (step !== 'opening' && step.kind === 'hours' && step.settlements > 0) {
        second.expectSettled(hourOf(market.nowMs), step.late, events, market);
      }
      const figures = second.figures(market, [...account.orders.values()]);
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
