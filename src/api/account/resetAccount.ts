// POST /v1/exchanges/perpx/account/reset: everything open ends, the history is deleted, and the account begins again
// with the balance of its plan; a sub-account begins again with nothing.

import { Type } from '@sinclair/typebox';
import { plans } from '../../shared/domain/plan.ts';
import { isSubAccount } from '../accounts/services.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { HEAVY } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { ACCOUNT_ERRORS, accountParameter } from './accountParameter.ts';
import { BalanceAnswer, toBalanceAnswer } from './balanceAnswer.ts';
import { NoFields, readNoFields } from './noFields.ts';
import { paidOwnerOf } from './paidOwnerOf.ts';
import { requireUnlimited } from './requireUnlimited.ts';
import { runAccountCommand } from './runAccountCommand.ts';

export const resetAccountEndpoint = endpoint({
  id: 'resetAccount',
  method: 'post',
  path: '/v1/exchanges/:exchange/account/reset',
  tag: 'Accounts',
  summary: 'Ends everything open, deletes the history and begins anew; a sub-account with nothing.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'reset_refused'], 403: ['limited_key'] },
  credential: 'either',
  scope: 'trade',
  price: HEAVY,
  isForPayers: true,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    requireUnlimited(owner.call.caller, 'money');
    const { plan } = owner.user;
    const balanceUsd = isSubAccount(owner.call.caller) ? '0' : plans[plan].balanceUsd;
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'resetAccount', plan, balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'all data deleted' },
      refusalCode: 'reset_refused',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The account was reset: all orders, positions and history are gone.'));
  },
});
