// The answer of the endpoints that change an account's money: the current balance and the amount deposited, USD.

import { Type } from '@sinclair/typebox';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { type AnswerFor, exactly, PlainDecimal } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';
import { named } from '../contract/named.ts';

export const BalanceAnswer = named(
  'Balance',
  exactly({
    message: Type.String(),
    balance: described(PlainDecimal, 'As in the overview: account value less unrealized PnL, USD.'),
    change: described(PlainDecimal, 'What was deposited for that, USD; negative for money that was taken away.'),
  }),
);

/** `change` is negative for money that was withdrawn. */
export const toBalanceAnswer = (
  { balanceUsd, changeUsd }: Extract<Outcome, { type: 'balanceChanged' }>,
  message: string,
): AnswerFor<typeof BalanceAnswer> => ({ message, balance: balanceUsd, change: changeUsd });
