// POST /v1/auth/resend-verification: mails another link to the address of the token's user. Earlier links stay valid.

import { RequestError } from '../../../shared/errors.ts';
import { Message } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { endpoint } from '../../http/endpoint.ts';
import { requireRoom } from '../attemptLimits.ts';
import { type AuthParts, requireUser } from '../authParts.ts';
import { isVerified } from './requireVerified.ts';
import { mailLink, verificationCharge } from './sendVerification.ts';

export const resendVerificationEndpoint = endpoint({
  id: 'resendVerification',
  method: 'post',
  path: '/v1/auth/resend-verification',
  tag: 'Users',
  summary: 'Mails another link to verify the e-mail address.',
  description: 'Five mails an hour. Links that were mailed before stay valid for their 24 hours.',
  credential: 'token',
  price: CHEAP,
  answer: { about: 'The mail is on its way.', schema: Message },
  errors: { 409: ['email_verified'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const user = await requireUser(ctx, parts);
    if (isVerified(user)) throw new RequestError(409, 'email_verified', 'This e-mail address is verified already.');
    await requireRoom(ctx, parts, parts.hourLimit, [verificationCharge(user)]);
    await mailLink(ctx, parts, user);
    await recordAudit(ctx, parts, { userId: user._id, action: 'email.verification_requested', outcome: 'ok' });
    answerJson(ctx, { message: 'A mail with a link to verify your e-mail address is on its way.' });
  },
});
