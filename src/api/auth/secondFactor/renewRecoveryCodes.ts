// POST /v1/auth/totp/recovery-codes `{password, code}`: ten new recovery codes, shown once, in place of all others.

import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import type { AuthParts } from '../authParts.ts';
import { PasswordAndCode } from '../credentialsBody.ts';
import { requirePassword } from '../password/requirePassword.ts';
import { requireLiveUser } from '../session/requireLiveUser.ts';
import { KEEP_THEM, RecoveryCodes } from './confirmTotp.ts';
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from './requireSecondFactor.ts';

const readBody = compileReader(PasswordAndCode);

export const renewRecoveryCodesEndpoint = endpoint({
  id: 'renewRecoveryCodes',
  method: 'post',
  path: '/v1/auth/totp/recovery-codes',
  tag: 'Users',
  summary: 'Ten new recovery codes in place of all others.',
  credential: 'token',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { renew: { password: 'a good password', code: '123456' } } },
  answer: { about: 'Recovery codes, shown once.', schema: RecoveryCodes },
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 409: ['no_second_factor'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { _id: userId } = live.user;
    const { password, code } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user: live.user, password, action: 'second_factor.recovery_renewed' });
    await requireSecondFactor(ctx, parts, { ...live, code, always: true });
    const codes = await parts.secondFactors.renewRecovery(userId);
    await recordAudit(ctx, parts, { userId, action: 'second_factor.recovery_renewed', outcome: 'ok' });
    sendNotice(ctx, parts, { user: live.user, kind: 'recovery_codes.renewed' });
    answerJson(ctx, { recovery_codes: codes, message: KEEP_THEM });
  },
});
