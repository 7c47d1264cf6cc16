// Under which terms an account's fills are.
import type { Account } from '../account/account.ts';
import { fillModelOf } from '../account/group/terms.ts';
import { feesView } from '../fills/feeRates.ts';
import type { TermsView } from '../messages/answers/accountFigures.ts';

export function termsView(account: Account, timeMs: number): TermsView {
  const changedAtMs = account.terms?.changedAtMs;
  return { fees: feesView(account, timeMs), fillModel: fillModelOf(account), ...(changedAtMs !== undefined && { changedAtMs }) };
}
