// DELETE /v1/auth/sessions/{id}: ends one of the user's sessions, at once here and within a second everywhere. It asks
// for no password: a user who ends a session that is not theirs must not be stopped by anything.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { exactly, SessionId } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';

export const endSessionEndpoint = endpoint({
  id: 'endSession',
  method: 'delete',
  path: '/v1/auth/sessions/:id',
  tag: 'Users',
  summary: 'Ends a session with all of its access tokens.',
  credential: 'token',
  price: CHEAP,
  params: Type.Object({ id: SessionId }),
  answer: { about: 'The session has ended.', schema: exactly({ id: SessionId, message: Type.String() }) },
  errors: { 404: ['unknown_session', 'not_found'], 405: ['method_not_allowed'] },
  handle: (parts: AuthParts) => {
    const { sessions, credentials } = parts;
    return async (ctx) => {
      const { _id: userId } = await requireUser(ctx, parts);
      const { id = '' } = ctx.params;
      // An id that names no session is not announced: it would make every node read the user again.
      if (!(await sessions.end(userId, id))) throw new RequestError(404, 'unknown_session', 'There is no such session.');
      await credentials.announceChange(userId, []);
      await recordAudit(ctx, parts, { userId, action: 'session.ended', outcome: 'ok', detail: id });
      answerJson(ctx, { id, message: 'The session has ended.' });
    };
  },
});
