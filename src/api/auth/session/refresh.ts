// POST /v1/auth/refresh: gives a new access token for a valid one, which stays valid until its own end. Answers like
// login.

import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import { type AuthParts, type AuthRouter, requireUser } from '../authParts.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { recordAudit } from '../recordAudit.ts';

export const refreshEndpoint = endpoint({
  id: 'refresh',
  method: 'post',
  path: '/v1/auth/refresh',
  tag: 'Accounts',
  summary: 'A new access token for one that is in force.',
  credential: 'token',
  answer: { about: 'An access token.', schema: LoginAnswer },
});

export function mountRefresh(router: AuthRouter, parts: AuthParts): void {
  router.post(refreshEndpoint.path, async (ctx) => {
    const user = await requireUser(ctx, parts);
    await recordAudit(ctx, parts, { userId: user._id, action: 'token.refreshed', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(user, parts.tokens));
  });
}
