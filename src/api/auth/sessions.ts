// The sessions of a user: the list, and the endpoints that end one or all others.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import type { SessionDocument } from '../../shared/mongo/sessionStore.ts';
import { endMs } from '../access/accessTokens.ts';
import { requireToken } from '../access/callerChecks.ts';
import { type AnswerFor, Count, exactly, IsoTime, SessionId } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { requireUser } from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';
import { endAllOthers } from './sessionLife.ts';

// GET /v1/auth/sessions: where the user is logged in. Addresses are whole: their owner has to recognise them, and the audit log
// shows the same. A session whose last access token is over, and which has no cookie, is not shown: nothing can be done with
// it.

const SessionItem = named(
  'Session',
  exactly({
    id: SessionId,
    created_at: described(IsoTime, 'When the user logged in.'),
    last_used_at: described(IsoTime, 'Up to a minute old.'),
    expires_at: described(
      IsoTime,
      'When it ends unless it is used or refreshed until then: without a cookie with its last token at the latest.',
    ),
    address: described(Type.String({ examples: ['192.0.2.7'] }), 'Network address of the login or of the last refresh.'),
    agent: described(Type.String({ examples: ['curl/8.5.0'] }), 'What the client called itself then.'),
    current: described(Type.Boolean(), 'Whether the request came with a token of this session.'),
  }),
);

export const listSessionsEndpoint = endpoint({
  id: 'listSessions',
  method: 'get',
  path: '/v1/auth/sessions',
  tag: 'Users',
  summary: 'Where the user is logged in.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The sessions, oldest first.', schema: named('SessionList', exactly({ sessions: Type.Array(SessionItem) })) },
  handle: (parts: AuthParts) => async (ctx) => {
    const { _id: userId, tokenGeneration: generation = 0 } = await requireUser(ctx, parts);
    const { sessionId: current } = requireToken(ctx);
    const all = await parts.sessions.listOf(userId);
    const live = all.filter((session) => session.generation === generation).map((session) => withEnd(session, parts));
    answerJson(ctx, {
      sessions: live
        .filter((session) => session.endMs > parts.now())
        .map(
          (session): AnswerFor<typeof SessionItem> => ({
            id: session._id,
            created_at: session.createdAt.toISOString(),
            last_used_at: new Date(session.usedAtMs).toISOString(),
            expires_at: new Date(session.endMs).toISOString(),
            address: session.address,
            agent: session.agent,
            current: session._id === current,
          }),
        ),
    });
  },
});

function withEnd(session: SessionDocument, { config, sessionUsage }: AuthParts) {
  const usedAtMs = Math.max(session.usedAt.getTime(), sessionUsage.lastUse(session._id) ?? 0);
  const lifeEndMs = endMs(config, { createdAtMs: session.createdAt.getTime(), usedAtMs });
  // A cookie gives further tokens.
  if (session.cookie !== undefined) return { ...session, usedAtMs, endMs: lifeEndMs };
  const lastTokenEndMs = session.refreshedAt.getTime() + config.JWT_TTL_SECONDS * 1000;
  return { ...session, usedAtMs, endMs: Math.min(lifeEndMs, lastTokenEndMs) };
}

/**
 * DELETE /v1/auth/sessions/{id}: ends one of the user's sessions, at once here and within a second everywhere. It asks for no
 * password: a user who ends a session that is not theirs must not be stopped by anything.
 */
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
  handle: (parts: AuthParts) => async (ctx) => {
    const { sessions, credentials } = parts;
    const { _id: userId } = await requireUser(ctx, parts);
    const { id = '' } = ctx.params;
    // An id that names no session is not announced: it would make every node read the user again.
    if (!(await sessions.end(userId, id))) throw new RequestError(404, 'unknown_session', 'There is no such session.');
    await credentials.announceChange(userId, []);
    await recordAudit(ctx, parts, { userId, action: 'session.ended', outcome: 'ok', detail: id });
    answerJson(ctx, { id, message: 'The session has ended.' });
  },
});

/**
 * DELETE /v1/auth/sessions: ends every session and access token of the user but the one that asks, at once here and within a
 * second everywhere. A change of password and a new second factor do the same.
 */
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
