// POST /v1/auth/totp `{password}`: begins a second factor. The answer shows the authenticator's secret, once. Logins ask
// for it when a code has confirmed it.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { exactly } from '../../contract/answerValues.ts';
import { described } from '../../contract/described.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import type { AuthParts } from '../authParts.ts';
import { PasswordText } from '../credentialsBody.ts';
import { requireVerified } from '../email/requireVerified.ts';
import { requirePassword } from '../password/requirePassword.ts';
import { requireLiveUser } from '../session/requireLiveUser.ts';

const readBody = compileReader(Type.Object({ password: PasswordText }, { expected: 'an object' }));

export const beginTotpEndpoint = endpoint({
  id: 'beginTotp',
  method: 'post',
  path: '/v1/auth/totp',
  tag: 'Users',
  summary: 'Begins a second factor: shows the authenticator’s secret, once.',
  description: 'RFC 6238: SHA-1, six digits, 30 seconds. Confirm it within an hour.',
  credential: 'token',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { begin: { password: 'a good password' } } },
  answer: {
    about: 'What the authenticator needs.',
    schema: named(
      'TotpSecret',
      exactly({
        secret: described(Type.String(), 'In base32.'),
        uri: described(Type.String({ examples: ['otpauth://totp/…'] }), 'The same for a QR code.'),
      }),
    ),
  },
  errors: { 401: ['invalid_credentials'], 403: ['email_not_verified'], 409: ['second_factor_on'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user } = await requireLiveUser(ctx, parts);
    requireVerified(user, parts.config);
    const { password } = readBody(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'second_factor.on' });
    const begun = await parts.secondFactors.begin(user);
    if (begun === undefined) throw new RequestError(409, 'second_factor_on', 'The second factor is on. Turn it off first.');
    answerJson(ctx, begun);
  },
});
