// POST /v1/auth/account/reset: an account with less than 100 USD of equity gets the balance of its plan again.
import { plans } from '../../shared/domain/plan.ts';
import type { AuthParts, AuthRouter } from '../auth/authParts.ts';
import { endpoint } from '../contract/endpoint.ts';
import { answerJson } from '../http/answerJson.ts';
import { BalanceAnswer, toBalanceAnswer } from './balanceAnswer.ts';
import { NoFields, readNoFields } from './noFields.ts';
import { paidOwnerOf } from './paidOwnerOf.ts';
import { runAccountCommand } from './runAccountCommand.ts';

export const topUpEndpoint = endpoint({
  id: 'topUp',
  method: 'post',
  path: '/v1/auth/account/reset',
  tag: 'Accounts',
  summary: 'An account worth less than 100 USD gets the balance of its plan again.',
  body: { schema: NoFields, examples: { nothing: {} }, isOptional: true },
  answer: { about: 'The balance.', schema: BalanceAnswer },
  errors: { 400: ['balance_too_high'] },
  credential: 'either',
  isForPayers: true,
  reachesAccount: true,
  isIdempotent: true,
});

export function mountTopUp(router: AuthRouter, parts: AuthParts): void {
  router.post(topUpEndpoint.path, async (ctx) => {
    const user = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    const { plan } = user;
    const outcome = await runAccountCommand(ctx, parts, user, {
      command: { type: 'topUp', plan, balanceUsd: plans[plan].balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'balance topped up' },
      refusalCode: 'balance_too_high',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The balance was topped up.'));
  });
}
