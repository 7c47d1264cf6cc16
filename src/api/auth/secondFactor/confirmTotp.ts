// POST /v1/auth/totp/confirm `{code}`: turns the second factor on that was begun. The answer shows the recovery codes, once.
// All other sessions end: they were begun without it.

import { Type } from '@sinclair/typebox';
import { exactly } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import { CodeText } from '../credentialsBody.ts';
import { requireVerified } from '../email/requireVerified.ts';
import { endAllOthers } from '../session/keepSession.ts';
import { requireLiveUser } from '../session/requireLiveUser.ts';
import { holderOf } from './requireSecondFactor.ts';

const readBody = compileReader(Type.Object({ code: CodeText }, { expected: 'an object' }));

export const RecoveryCodes = named(
  'RecoveryCodes',
  exactly({
    recovery_codes: described(Type.Array(Type.String()), 'Each is good once, in place of a code of the authenticator.'),
    message: Type.String(),
  }),
);
export const KEEP_THEM = 'Keep these codes now: they are not shown again.';

export const confirmTotpEndpoint = endpoint({
  id: 'confirmTotp',
  method: 'post',
  path: '/v1/auth/totp/confirm',
  tag: 'Users',
  summary: 'Turns the second factor on, and ends all other sessions.',
  credential: 'token',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { confirm: { code: '123456' } } },
  answer: { about: 'Recovery codes, shown once.', schema: RecoveryCodes },
  errors: { 401: ['invalid_second_factor'], 403: ['email_not_verified'], 409: ['no_second_factor'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user, session } = await requireLiveUser(ctx, parts);
    requireVerified(user, parts.config);
    const { code } = readBody(await parts.readBody(ctx));
    // The others end before it is on, so that a process that dies leaves none beside it; and after it, those begun in between.
    const endOthers = async (): Promise<void> => void (await endAllOthers(ctx, parts));
    const codes = await parts.secondFactors.confirm(user._id, code, holderOf(ctx), endOthers);
    await recordAudit(ctx, parts, { userId: user._id, action: 'second_factor.on', outcome: 'ok' });
    sendNotice(ctx, parts, { user, kind: 'second_factor.on' });
    if (session !== undefined) await parts.sessions.noteSecondFactor(session._id, new Date(parts.now()));
    await endOthers();
    answerJson(ctx, { recovery_codes: codes, message: KEEP_THEM });
  },
});
