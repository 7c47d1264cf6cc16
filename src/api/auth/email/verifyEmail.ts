// POST /v1/auth/verify-email `{token}`: the token of a mail shows that its address is the user's. It works once.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../../shared/errors.ts';
import { digestOf } from '../../access/credentials.ts';
import { Message } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import { sendNotice } from '../../mail/notices.ts';
import { countAddress } from '../attemptLimits.ts';
import type { AuthParts } from '../authParts.ts';
import { LinkToken } from '../credentialsBody.ts';
import { LINK_HOURS } from './sendVerification.ts';

const readBody = compileReader(Type.Object({ token: LinkToken }, { expected: 'an object' }));

export const verifyEmailEndpoint = endpoint({
  id: 'verifyEmail',
  method: 'post',
  path: '/v1/auth/verify-email',
  tag: 'Users',
  summary: 'Verifies an e-mail address with the token of the mail.',
  credential: 'none',
  price: CHEAP,
  body: { schema: readBody.schema, examples: { link: { token: 'the token of the link in the mail' } } },
  answer: { about: 'The address is verified.', schema: Message },
  errors: { 400: ['invalid_verification_token'] },
  handle: (parts: AuthParts) => {
    const { users, now } = parts;
    return async (ctx) => {
      const { token } = readBody(await parts.readBody(ctx));
      await countAddress(ctx, parts, 'verify');
      const user = await users.verifyEmail(digestOf(token), new Date(now()));
      if (user === null) {
        const text = `This link is not valid, was used before, or is older than ${LINK_HOURS} hours.`;
        throw new RequestError(400, 'invalid_verification_token', text);
      }
      await recordAudit(ctx, parts, { userId: user._id, action: 'email.verified', outcome: 'ok', actor: 'verification link' });
      sendNotice(ctx, parts, { user, kind: 'email.verified' });
      answerJson(ctx, { message: 'The e-mail address is verified.' });
    };
  },
});
