// POST /v1/auth/account/reset: a master account with less than 100 USD of equity gets the balance of its plan again. Sub-accounts get
// their money from it.

import { Type } from '@sinclair/typebox';
import { plans } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import { isSubAccount } from '../accounts/services.ts';
import type { AuthParts } from '../auth/authParts.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { ACCOUNT_ERRORS, accountParameter } from './accountParameter.ts';
import { BalanceAnswer, toBalanceAnswer } from './balanceAnswer.ts';
import { NoFields, readNoFields } from './noFields.ts';
import { paidOwnerOf } from './paidOwnerOf.ts';
import { requireUnlimited } from './requireUnlimited.ts';
import { runAccountCommand } from './runAccountCommand.ts';

export const topUpEndpoint = endpoint({
  id: 'topUp',
  method: 'post',
  path: '/v1/auth/account/reset',
  tag: 'Accounts',
  summary: 'A master account worth less than 100 USD gets the balance of its plan again.',
  query: Type.Object({ account: accountParameter }),
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { ...ACCOUNT_ERRORS, 400: [...ACCOUNT_ERRORS[400], 'balance_too_high', 'sub_account'], 403: ['limited_key'] },
  credential: 'either',
  scope: 'trade',
  price: CHEAP,
  isForPayers: true,
  reachesAccount: true,
  isIdempotent: true,
  handle: (parts: AuthParts) => async (ctx) => {
    const owner = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    requireUnlimited(owner.call.caller, 'money');
    if (isSubAccount(owner.call.caller)) {
      const text =
        'A sub-account is not topped up: move USD to it from the master account (subAccountTransfer), or set its balance.';
      throw new RequestError(400, 'sub_account', text);
    }
    const { plan } = owner.user;
    const outcome = await runAccountCommand(ctx, parts, owner, {
      command: { type: 'topUp', plan, balanceUsd: plans[plan].balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'balance topped up' },
      refusalCode: 'balance_too_high',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The balance was topped up.'));
  },
});
