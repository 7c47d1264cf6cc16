// GET /v1/auth/sessions: where the user is logged in. Addresses are whole: their owner has to recognise them, and the
// audit log shows the same. A session whose last access token is over, and which has no cookie, is not shown: nothing can be
// done with it.

import { Type } from '@sinclair/typebox';
import type { SessionDocument } from '../../../shared/mongo/sessionStore.ts';
import { endMs } from '../../access/accessTokens.ts';
import { requireToken } from '../../access/requestContext.ts';
import { type AnswerFor, exactly, IsoTime, SessionId } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';

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
