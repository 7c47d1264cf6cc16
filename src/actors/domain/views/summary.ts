// The totals of an account that several small answers use: volume, requests, deposits, value.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, toWire } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { feeTermsOf } from '../account/group/terms.ts';
import { accountValue, withdrawable } from '../margin/margin.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';

export function summary(account: Account, market: MarketView): AnswerOf<'summary'> {
  const feeTerms = feeTermsOf(account);
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
      ...(feeTerms && { feeRates: { maker: toWire(new Decimal(feeTerms.maker)), taker: toWire(new Decimal(feeTerms.taker)) } }),
      ...(account.addressLimit && { requestsReserved: account.addressLimit.reserved }),
    },
  };
}
