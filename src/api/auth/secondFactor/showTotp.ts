// GET /v1/auth/totp: whether logins ask for a second factor, and how many recovery codes are left.

import { Type } from '@sinclair/typebox';
import { Count, exactly, IsoTime, orNull } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { endpoint } from '../../http/endpoint.ts';
import { type AuthParts, requireUser } from '../authParts.ts';

export const showTotpEndpoint = endpoint({
  id: 'showTotp',
  method: 'get',
  path: '/v1/auth/totp',
  tag: 'Users',
  summary: 'Whether logins ask for a second factor.',
  credential: 'token',
  price: CHEAP,
  answer: {
    about: 'The second factor, without its secret.',
    schema: named('SecondFactor', exactly({ enabled: Type.Boolean(), enabled_at: orNull(IsoTime), recovery_codes_left: Count })),
  },
  handle: (parts: AuthParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const factor = await parts.secondFactors.find(userId);
    answerJson(ctx, {
      enabled: factor !== undefined,
      enabled_at: factor?.confirmedAt?.toISOString() ?? null,
      recovery_codes_left: factor?.recovery.digests.length ?? 0,
    });
  },
});
