// POST /v1/auth/account/reset: an account that is worth less than 100 USD gets the balance of its plan again.
import { plans } from '../../shared/domain/plan.ts';
import type { AuthParts, AuthRouter } from '../auth/authParts.ts';
import { answerJson } from '../jsonAnswer.ts';
import { toBalanceAnswer } from './balanceAnswer.ts';
import { readNoFields } from './noFields.ts';
import { paidOwnerOf } from './ownerOf.ts';
import { runAccountCommand } from './runAccountCommand.ts';

export function mountTopUp(router: AuthRouter, parts: AuthParts): void {
  router.post('/v1/auth/account/reset', async (ctx) => {
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
