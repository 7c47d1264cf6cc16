// POST /v1/auth/refresh: gives a new access token of the same session for a valid one, which stays valid until its own
// end. Answers like login. A browser's session is refreshed by its cookie alone: who has stolen one of its tokens must not
// make it last. No token of a session outlives it: ending the session ends them all, however they were had.

import { RequestError } from '../../../shared/errors.ts';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';
import { LoginAnswer, toLoginAnswer } from '../loginAnswer.ts';
import { refreshSession } from './beginSession.ts';
import { type LiveUser, requireLiveUser } from './requireLiveUser.ts';

export const refreshEndpoint = endpoint({
  id: 'refreshSession',
  method: 'post',
  path: '/v1/auth/refresh',
  tag: 'Users',
  summary: 'A new access token of the same session for one that is in force.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'An access token.', schema: LoginAnswer },
  errors: { 409: ['refreshed_by_cookie'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const session = await sessionOf(ctx, parts, live);
    await recordAudit(ctx, parts, { userId: user._id, action: 'token.refreshed', outcome: 'ok' });
    answerJson(ctx, await toLoginAnswer(user, session, parts));
  },
});

/** The token's session. @throws {RequestError} 401 when it has just ended */
async function sessionOf(ctx: RouteContext, parts: AuthParts, { user, session }: LiveUser): Promise<SessionDocument> {
  if (session.cookie !== undefined) {
    throw new RequestError(409, 'refreshed_by_cookie', 'The cookie refreshes this session: POST /v1/auth/session/refresh.');
  }
  const refreshed = await refreshSession(ctx, parts, user, session);
  if (refreshed === null) throw new RequestError(401, 'invalid_token', 'The session of this access token has ended: log in.');
  return refreshed;
}
