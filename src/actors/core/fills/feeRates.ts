// The fee rates of an account: the service's own, those that its user has chosen, or those of the what-if that it is (trading-rules 7.1).
// Whatever charges or foretells a fee asks here.
import { Decimal } from '../../../shared/domain/decimal.ts';
import { FEE_RATES, type FeeRates, ratesOfTier, tierOfVolume, tierVolume } from '../../../shared/domain/fees.ts';
import type { Account } from '../account/account.ts';
import type { TermsView } from '../messages/accountFigures.ts';

type OfFees = Pick<Account, 'fork' | 'terms' | 'totals'>;

/** @param timeMs of the fill; the venue's tier by volume is that of its UTC day */
export function feeRatesOf({ fork, terms, totals }: OfFees, timeMs: number): FeeRates {
  if (fork === undefined && terms === undefined) return FEE_RATES;
  const ofWhatIf = fork?.terms?.fees;
  if (ofWhatIf) return read(ofWhatIf);
  const fees = terms?.fees;
  switch (fees?.kind) {
    case undefined:
      return FEE_RATES;
    case 'own':
      return read(fees);
    case 'tier':
      return ratesOfTier(fees.tier, fees.rebate);
    case 'volume':
      return ratesOfTier(tierOfVolume(tierVolume(totals.dailyVolumes, timeMs)));
  }
}

const read = ({ maker, taker }: { readonly maker: string; readonly taker: string }): FeeRates => ({
  maker: new Decimal(maker),
  taker: new Decimal(taker),
});

/** The same as it is told, with where the rates come from. */
export function feesView(account: OfFees, timeMs: number): TermsView['fees'] {
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
