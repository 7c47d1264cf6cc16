// Everything that a dashboard shows of an account at one moment: figures, positions and totals from one question, so
// that they are consistent (account value = balance + unrealized PnL, to the last micro-USD).
import type { MarketView } from '../../../market/domain/marketView.ts';
import { halfUp, roundOffDust, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import { tierOfVolume, tierVolume } from '../../../shared/domain/fees.ts';
import type { Account } from '../account/account.ts';
import { openOrderCount } from '../account/ownOrders.ts';
import { fillModelOf } from '../account/terms.ts';
import { feeRatesOf } from '../fills/fillPlan.ts';
import { accountValue, balanceOf, withdrawable } from '../margin/margin.ts';
import type { TermsView } from '../messages/accountFigures.ts';
import type { AnswerOf } from '../messages/queryAnswer.ts';
import { accountState } from './accountState.ts';

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

/** The totals of an account that several small answers use: volume, requests, deposits, value. */
export function summary(account: Account, market: MarketView, nowMs: number): AnswerOf<'summary'> {
  const { netDepositsUsd, volumeUsd, dailyVolumes, requestsUsed } = account.totals;
  return {
    kind: 'summary',
    summary: {
      openedAtMs: account.openedAtMs,
      accountValue: toWire(accountValue(account, market)),
      withdrawable: toWire(withdrawable(account, market)),
      netDepositsUsd: toWire(netDepositsUsd),
      volumeUsd: toWire(volumeUsd),
      dailyVolumes: dailyVolumes.map(({ day, takerUsd, makerUsd }) => ({
        day,
        takerUsd: toWire(takerUsd),
        makerUsd: toWire(makerUsd),
      })),
      requestsUsed,
      terms: termsView(account, nowMs),
      ...(account.addressLimit && { requestsReserved: account.addressLimit.reserved }),
    },
  };
}

/** Under which terms an account's fills are. */
function termsView(account: Account, timeMs: number): TermsView {
  const changedAtMs = account.terms?.changedAtMs;
  return { fees: feesView(account, timeMs), fillModel: fillModelOf(account), ...(changedAtMs !== undefined && { changedAtMs }) };
}

/** The fee rates with where they come from. */
function feesView(account: Account, timeMs: number): TermsView['fees'] {
  const { maker, taker } = feeRatesOf(account, timeMs);
  const rates = { maker: maker.toFixed(), taker: taker.toFixed() };
  if (account.fork?.terms?.fees) return { source: 'what_if', ...rates };
  const fees = account.terms?.fees;
  switch (fees?.kind) {
    case undefined:
      return { source: 'default', ...rates };
    case 'own':
      return { source: 'own', ...rates };
    case 'tier':
      return { source: 'tier', tier: fees.tier, ...(fees.rebate !== undefined && { rebate: fees.rebate }), ...rates };
    case 'volume':
      return { source: 'volume', tier: tierOfVolume(tierVolume(account.totals.dailyVolumes, timeMs)), ...rates };
  }
}
