// What transfers do to an account: cash, the sums of its deposits, and what it knows of each transfer.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { type TransfersWith, transfersWith, withReceived, withSent, withSettled } from '../account/subAccounts.ts';
import type { AccountEvent } from '../messages/event.ts';

type TransferEvent = Extract<AccountEvent, { type: 'transferSent' | 'transferReceived' | 'transferSettled' }>;
type WritableState = { -readonly [Field in keyof Account]: Account[Field] };

/** A deposit or withdrawal as far as figures of profit go. */
export function evolveTransfer(state: WritableState, event: TransferEvent, timeMs: number): void {
  switch (event.type) {
    case 'transferSent': {
      const { to, number, after } = event;
      const usd = new Decimal(event.usd);
      moveCash(state, usd.neg());
      keep(state, to, withSent(transfersWith(state.transfers, to), { number, after, usd, sentAtMs: timeMs }));
      return;
    }
    case 'transferReceived':
      moveCash(state, new Decimal(event.usd));
      keep(state, event.from, withReceived(transfersWith(state.transfers, event.from), event));
      return;
    case 'transferSettled':
      keep(state, event.to, withSettled(transfersWith(state.transfers, event.to), event.number));
  }
}

function moveCash(state: WritableState, usd: Decimal): void {
  state.cash = state.cash.plus(usd);
  state.totals = { ...state.totals, netDepositsUsd: state.totals.netDepositsUsd.plus(usd) };
}

/** In a map of its own: a decision may share the one before with the account. */
function keep(state: WritableState, accountId: string, one: TransfersWith): void {
  state.transfers = new Map(state.transfers).set(accountId, one);
}
