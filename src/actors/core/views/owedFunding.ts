// Funding that an account owes or is owed and that no settlement has paid yet (trading-rules 6.4), coin by coin in the order of the
// listing. A view for traders; the payments themselves are made by `payFunding`.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { pendingOfCoin } from '../margin/fundingPayments.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';

export function owedFunding(account: Account, market: MarketView, nowMs: number): AnswerOf<'owedFunding'> {
  const coins = [...account.funding]
    .sort(([a], [b]) => a - b)
    .flatMap(([asset, { coin, owed }]) => {
      const position = account.positions.get(asset);
      if (position === undefined && owed.length === 0) return [];
      const usd = toWire(pendingOfCoin(account, asset, market));
      return { coin, signedSize: toWire(position?.signedSize ?? ZERO), usd };
    });
  return { kind: 'owedFunding', coins, timeMs: nowMs };
}
