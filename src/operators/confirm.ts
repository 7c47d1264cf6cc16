// POST /v1/admin/confirm `{password, code?}`: an operator shows the password, and the second factor where there is one; for 15 minutes the
// session may act. A key that may act needs none of it: it was made in such a session.

import { Type } from '@sinclair/typebox';
import { CodeText, PasswordText } from '../api/auth/acts/credentialsBody.ts';
import { CONFIRMED_MS, requireLiveUser, requirePassword, requireRole, requireSecondFactor } from '../api/auth/acts/userChecks.ts';
import type { AuthParts } from '../api/auth/parts/authParts.ts';
import { exactly, IsoTime } from '../api/contract/answerValues.ts';
import { named, described as told } from '../api/contract/named.ts';
import { CHEAP } from '../api/domain/requestPrice.ts';
import { answerJson } from '../api/http/answers.ts';
import { recordAudit } from '../api/http/audited.ts';
import { endpoint } from '../api/http/endpoint.ts';
import { compileReader } from '../api/http/requestReader.ts';

const readBody = compileReader(
  Type.Object({ password: told(PasswordText, 'The operator’s own.'), code: Type.Optional(CodeText) }, { expected: 'an object' }),
);

export const confirm = endpoint({
  id: 'confirmOperator',
  method: 'post',
  path: '/v1/admin/confirm',
  tag: 'Operators',
  summary: 'Confirms an operator’s password, so that the session may act for 15 minutes.',
  credential: 'token',
  asks: ['operator', 'password', 'secondFactor'],
  price: CHEAP,
  body: { schema: readBody.schema, examples: { password: { password: 'a good password' } } },
  answer: {
    about: 'Until when the session may act.',
    schema: named('OperatorConfirmation', exactly({ confirmed_until: IsoTime })),
  },
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user, session } = live;
    requireRole(user);
    const { password, code } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'operator.confirmed' });
    await requireSecondFactor(ctx, parts, { ...live, code, always: true });
    const nowMs = parts.now();
    // First the row: a node that dies in between leaves no session that may act without one.
    await recordAudit(ctx, parts, { userId: user._id, action: 'operator.confirmed', outcome: 'ok' });
    if (session !== undefined) await parts.sessions.noteConfirmed(session._id, new Date(nowMs));
    answerJson(ctx, { confirmed_until: new Date(nowMs + CONFIRMED_MS).toISOString() });
  },
});
