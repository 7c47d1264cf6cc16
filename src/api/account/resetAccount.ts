// POST /v1/exchanges/perpx/account/reset: everything open ends, the history is deleted, and the account begins anew with the
// balance of its plan.
import { plans } from '../../shared/domain/plan.ts';
import type { AuthParts, AuthRouter } from '../auth/authParts.ts';
import { answerJson } from '../jsonAnswer.ts';
import { toBalanceAnswer } from './balanceAnswer.ts';
import { readNoFields } from './noFields.ts';
import { paidOwnerOf } from './ownerOf.ts';
import { runAccountCommand } from './runAccountCommand.ts';

export function mountResetAccount(router: AuthRouter, parts: AuthParts): void {
  router.post('/v1/exchanges/:exchange/account/reset', async (ctx) => {
    const user = await paidOwnerOf(ctx, parts);
    await readNoFields(ctx, parts.readBody);
    const { plan } = user;
    const outcome = await runAccountCommand(ctx, parts, user, {
      command: { type: 'resetAccount', plan, balanceUsd: plans[plan].balanceUsd },
      asked: {},
      note: { action: 'account.reset', detail: 'all data deleted' },
      refusalCode: 'reset_refused',
    });
    answerJson(ctx, toBalanceAnswer(outcome, 'The account was reset: all orders, positions and history are gone.'));
  });
}
