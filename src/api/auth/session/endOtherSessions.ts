// DELETE /v1/auth/sessions: ends every session and access token of the user but the one that asks, at once here and
// within a second everywhere. A change of password and a new second factor do the same.

import { Type } from '@sinclair/typebox';
import { requireToken } from '../../access/requestContext.ts';
import { Count, exactly } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';
import { endAllOthers } from './keepSession.ts';

export const endOtherSessionsEndpoint = endpoint({
  id: 'endOtherSessions',
  method: 'delete',
  path: '/v1/auth/sessions',
  tag: 'Users',
  summary: 'Ends every session and access token of the user but the one that asks.',
  credential: 'token',
  price: CHEAP,
  errors: { 503: ['busy'] },
  answer: {
    about: 'The others have ended.',
    schema: exactly({ ended: described(Count, 'Sessions that have ended.'), message: Type.String() }),
  },
  handle: (parts: AuthParts) => async (ctx) => {
    const { userId } = requireToken(ctx);
    const { ended } = await endAllOthers(ctx, parts);
    await recordAudit(ctx, parts, { userId, action: 'session.ended', outcome: 'ok', detail: 'all others' });
    answerJson(ctx, { ended, message: 'Your other sessions have ended.' });
  },
});
