// POST /v1/exchanges/perpx/account/set-balance `{balance}`: sets the cash to exactly this amount, USD, while nothing
// is open.

import { Type } from '@sinclair/typebox';
import { Decimal } from '../../shared/domain/decimal.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { described } from '../contract/described.ts';
import { decimalOrNumber } from '../contract/requestValues.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { ACCOUNT_ERRORS, accountParameter } from './accountParameter.ts';
import { BalanceAnswer, toBalanceAnswer } from './balanceAnswer.ts';
import { paidOwnerOf } from './paidOwnerOf.ts';
import { requireUnlimited } from './requireUnlimited.ts';
import { runAccountCommand } from './runAccountCommand.ts';

/** USD (specification 8). */
const Balance = decimalOrNumber(
  { from: 3, to: 7, decimals: 6 },
  'a number or a decimal string from 1000 to 10000000 with at most 6 decimals',
);

const readBody = compileReader(
  Type.Object(
    {
      balance: described(Balance, 'From 1,000 to 10,000,000 USD, at most 6 decimals.'),
    },
    { expected: 'an object' },
  ),
);

export const setBalanceEndpoint = endpoint({
  id: 'setBalance',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/set-balance',
  tag: 'Accounts',
  summary: 'Cash becomes exactly that, while nothing is open.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: readBody.schema, examples: { number: { balance: 10_000 }, text: { balance: '12345.678901' } } },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'account_not_at_rest'], 403: ['limited_key'] },
  credential: 'either',
  scope: 'trade',
  price: HEAVY,
  isForPayers: true,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    const balanceUsd = new Decimal(readBody(await parts.readBody(ctx)).balance).toString();
    requireUnlimited(owner.call.caller, 'money');
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'setBalance', balanceUsd },
      asked: { balanceUsd },
      note: { action: 'account.balance_set', detail: balanceUsd },
      refusalCode: 'account_not_at_rest',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The balance was set.'));
  },
});
