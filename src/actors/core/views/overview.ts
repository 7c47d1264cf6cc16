// Everything that a dashboard shows of an account at one moment: figures, positions and totals from one question, so
// that they are consistent (account value = balance + unrealized PnL, to the last micro-USD).
import type { MarketView } from '../../../market/domain/marketView.ts';
import { halfUp, roundOffDust, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { accountValue, balanceOf } from '../margin/margin.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';
import { accountState } from './accountState.ts';
import { termsView } from './termsView.ts';

export function overview(account: Account, market: MarketView, nowMs: number): AnswerOf<'overview'> {
  const { realizedPnlUsd, feesUsd, fundingUsd } = account.totals;
  const worth = halfUp(accountValue(account, market), USD_DECIMALS);
  const balance = halfUp(balanceOf(account), USD_DECIMALS);
  return {
    kind: 'overview',
    overview: {
      state: accountState(account, market, nowMs),
      balance: toWire(balance),
      unrealizedPnl: toWire(worth.minus(balance)),
      realizedPnlUsd: toWire(halfUp(roundOffDust(realizedPnlUsd), USD_DECIMALS)),
      feesUsd: toWire(feesUsd),
      fundingUsd: toWire(fundingUsd),
      openOrders: openOrderCount(account),
      openedAtMs: account.openedAtMs,
      netDepositsUsd: toWire(account.totals.netDepositsUsd),
      terms: termsView(account, nowMs),
    },
  };
}
