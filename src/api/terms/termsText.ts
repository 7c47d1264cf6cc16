// The terms of an account in words, as they stand beside every return.
import type { TermsView } from '../../actors/core/messages/accountFigures.ts';
import { Decimal } from '../../shared/domain/decimal.ts';

const percent = (rate: string): string => `${new Decimal(rate).times(100).toFixed()} %`;

/** Whose fees, the rates, when resting orders fill, and since when where fills were under others. */
export function termsText({ fees, fillModel, changedAtMs }: TermsView): string {
  const { maker, taker } = fees;
  const rates = `Fees: ${sourceText(fees)}, ${percent(maker)} as maker and ${percent(taker)} as taker. Resting orders fill by the model ${fillModel}.`;
  if (changedAtMs === undefined) return rates;
  return `${rates} Changed at ${new Date(changedAtMs).toISOString()}: fills before were under other terms.`;
}

function sourceText({ source, tier = 0, rebate }: TermsView['fees']): string {
  switch (source) {
    case 'default':
      return 'the exchange’s own';
    case 'own':
      return 'set by the user';
    case 'what_if':
      return 'those of a what-if';
    case 'tier':
      return `tier ${tier} of the venue${rebate === undefined ? '' : ` with rebate ${rebate}`}, set by the user`;
    case 'volume':
      return `tier ${tier} of the venue by the volume of 14 days`;
  }
}
