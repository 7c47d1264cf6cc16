// POST /v1/auth/logout: ends the session of the access token that comes with it, at once here and within a second
// everywhere: this token, and every other that was refreshed in the session. The user's other sessions live on.

import { requireToken } from '../../access/requestContext.ts';
import { Message } from '../../contract/answerValues.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { answerJson } from '../../http/answerJson.ts';
import type { AuthParts, AuthRouter } from '../authParts.ts';
import { recordAudit } from '../recordAudit.ts';

export const logoutEndpoint = endpoint({
  id: 'logout',
  method: 'post',
  path: '/v1/auth/logout',
  tag: 'Users',
  summary: 'Ends the session of the access token that comes with it.',
  credential: 'token',
  answer: { about: 'The session’s tokens are good for nothing any more.', schema: Message },
});

export function mountLogout(router: AuthRouter, parts: AuthParts): void {
  const { users, sessions, credentials, now } = parts;
  router.post(logoutEndpoint.path, async (ctx) => {
    const { userId, id, sessionId, expiresAtMs } = requireToken(ctx);
    if (sessionId === undefined) await sessions.endThoseOf(userId, id);
    else await sessions.end(userId, sessionId);
    // Nodes of an earlier build know single tokens only.
    await users.logOut(userId, { id, until: new Date(expiresAtMs) }, new Date(now()));
    await credentials.announceChange(userId, []);
    await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
    answerJson(ctx, { message: 'You are logged out.' });
  });
}
