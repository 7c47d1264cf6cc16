// The house rules of an account, how far it is from them, and which are broken.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { toWire } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { drawdownOf, percentOf } from '../checks/houseMeasures.ts';
import { lossOfDay, resultOf } from '../margin/result.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';

export function houseRules(account: Account, market: MarketView): AnswerOf<'houseRules'> {
  const { house } = account;
  if (house === undefined) return { kind: 'houseRules', house: undefined };
  const { rules, breaches } = house;
  const resultUsd = resultOf(account, market);
  const { fallUsd, ofUsd } = drawdownOf(account, house, resultUsd);
  const lost = lossOfDay(account, resultUsd);
  return {
    kind: 'houseRules',
    house: {
      ...{ rules, breaches },
      ...(rules.dailyLoss && { lostUsd: toWire(lost) }),
      ...(rules.drawdown && ofUsd.gt(0) && { drawdownPercent: percentOf(fallUsd, ofUsd) }),
    },
  };
}
