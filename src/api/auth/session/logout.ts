// POST /v1/auth/logout: ends the access token that comes with it, at once here and within a second everywhere. The
// user's other tokens live on.

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
  tag: 'Accounts',
  summary: 'Ends the access token that comes with it.',
  credential: 'token',
  answer: { about: 'The token is good for nothing any more.', schema: Message },
});

export function mountLogout(router: AuthRouter, parts: AuthParts): void {
  const { users, credentials, now } = parts;
  router.post(logoutEndpoint.path, async (ctx) => {
    const { userId, id, expiresAtMs } = requireToken(ctx);
    await users.logOut(userId, { id, until: new Date(expiresAtMs) }, new Date(now()));
    await credentials.announceChange(userId, []);
    await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
    answerJson(ctx, { message: 'You are logged out.' });
  });
}
