// How the endpoints that change an account's money answer: what cash is now and what was deposited for it, USD.
import type { Outcome } from '../../actors/domain/outcome.ts';

/** `change` is negative for money that was taken away. */
export const toBalanceAnswer = (
  { balanceUsd, changeUsd }: Extract<Outcome, { type: 'balanceChanged' }>,
  message: string,
): { message: string; balance: string; change: string } => ({ message, balance: balanceUsd, change: changeUsd });
