// The fee rates of an account: the service's own, or those of the what-if that it is (trading-rules 7.1).
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { feeTermsOf } from '../account/group/terms.ts';
import { FEE_RATES, type FeeRates } from './fillPlan.ts';

export function feeRatesOf(account: Pick<Account, 'fork'>): FeeRates {
  const fees = feeTermsOf(account);
  return fees === undefined ? FEE_RATES : { maker: new Decimal(fees.maker), taker: new Decimal(fees.taker) };
}
