// POST /v1/auth/logout: ends the session of the access token that comes with it, at once here and within a second
// everywhere: this token, and every other that was refreshed in the session. The user's other sessions live on.

import { requireToken } from '../../access/requestContext.ts';
import { Message } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';

export const logoutEndpoint = endpoint({
  id: 'logout',
  method: 'post',
  path: '/v1/auth/logout',
  tag: 'Users',
  summary: 'Ends the session of the access token that comes with it.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The session’s tokens are good for nothing any more.', schema: Message },
  handle: (parts: AuthParts) => {
    const { sessions, credentials } = parts;
    return async (ctx) => {
      const { userId, sessionId } = requireToken(ctx);
      await sessions.end(userId, sessionId);
      await credentials.announceChange(userId, []);
      await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
      answerJson(ctx, { message: 'You are logged out.' });
    };
  },
});
