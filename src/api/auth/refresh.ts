// POST /v1/auth/refresh: a new access token for one that still is in force, which stays so until its own end. Answers like
// login.
import { answerJson } from '../jsonAnswer.ts';
import { noteAct } from '../noteAct.ts';
import { type AuthParts, type AuthRouter, requireUser } from './authParts.ts';
import { toLoginAnswer } from './loginAnswer.ts';

export function mountRefresh(router: AuthRouter, parts: AuthParts): void {
  router.post('/v1/auth/refresh', async (ctx) => {
    const user = await requireUser(ctx, parts);
    await noteAct(ctx, parts, { userId: user._id, action: 'token.refreshed', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(user, parts.tokens));
  });
}
