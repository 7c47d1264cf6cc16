// What an account is worth at the moment at which its money or positions have changed, noted with the entry that changed
// them: later nobody could tell, for the marks of other coins at that moment are gone. The equity curve is made of these.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { type Decimal, halfUp, toWire, USD_DECIMALS } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { accountValue, balanceOf } from '../margin/margin.ts';
import type { HistoryKind } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { EquityNote } from '../messages/historyRows.ts';

/** Kinds of rows that tell of money or positions. */
const MONEY_KINDS: readonly HistoryKind[] = ['fills', 'twapFills', 'funding', 'ledger'];

/** True when an entry of these events, which give so many rows, is a point of the equity curve: a fill, funding, a deposit or a sample. */
export function isEquityPoint(events: readonly AccountEvent[], rows: Readonly<Record<HistoryKind, number>>): boolean {
  return MONEY_KINDS.some((kind) => rows[kind] > 0) || events.some(({ type }) => type === 'equitySampled');
}

export function equityNote(account: Account, market: MarketView): EquityNote {
  return {
    accountValue: usdText(accountValue(account, market)),
    balance: usdText(balanceOf(account)),
    netDepositsUsd: usdText(account.totals.netDepositsUsd),
    openPositions: account.positions.size,
  };
}

const usdText = (value: Decimal): string => toWire(halfUp(value, USD_DECIMALS));
