// DELETE /v1/auth/totp `{password, code}`: turns the second factor off. A recovery code does it too.

import { RequestError } from '../../../shared/errors.ts';
import { Message } from '../../contract/answerValues.ts';
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
import { requireSecondFactor, SECOND_FACTOR_ERRORS } from './requireSecondFactor.ts';

const readBody = compileReader(PasswordAndCode);

export const endTotpEndpoint = endpoint({
  id: 'endTotp',
  method: 'delete',
  path: '/v1/auth/totp',
  tag: 'Users',
  summary: 'Turns the second factor off.',
  credential: 'token',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { off: { password: 'a good password', code: '123456' } } },
  answer: { about: 'Logins ask for the password alone.', schema: Message },
  errors: { 401: ['invalid_credentials', ...SECOND_FACTOR_ERRORS], 409: ['no_second_factor'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const live = await requireLiveUser(ctx, parts);
    const { user } = live;
    const { password, code } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'second_factor.off' });
    // One that was only begun asks for no code; it may be confirmed while this request is at work.
    const factor = await parts.secondFactors.find(user._id);
    if (factor === undefined) throw none();
    await requireSecondFactor(ctx, parts, { ...live, code, always: true });
    if (!(await parts.secondFactors.remove(user._id, factor))) throw none();
    await recordAudit(ctx, parts, { userId: user._id, action: 'second_factor.off', outcome: 'ok' });
    sendNotice(ctx, parts, { user, kind: 'second_factor.off' });
    answerJson(ctx, { message: 'The second factor is off.' });
  },
});

const none = (): RequestError => new RequestError(409, 'no_second_factor', 'There is no second factor.');
