// The totals of an account that several small answers use: volume, requests, deposits, value.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { toWire } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { accountValue, withdrawable } from '../margin/margin.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';
import { termsView } from './termsView.ts';

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
