// The second factor of a user: the endpoints that show, begin, confirm and end it, and renew its recovery codes.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { Count, exactly, IsoTime, Message, orNull } from '../contract/answerValues.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { described, named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { recordAudit } from '../http/audited.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { CodeText, PasswordAndCode, PasswordText } from './acts/credentialsBody.ts';
import { sendNotice } from './acts/notices.ts';
import {
  holderOf,
  requireLiveUser,
  requirePassword,
  requireSecondFactor,
  requireUser,
  requireVerified,
} from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';
import { endAllOthers } from './sessionLife.ts';

/** GET /v1/auth/totp: whether logins ask for a second factor, and how many recovery codes are left. */
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

// POST /v1/auth/totp `{password}`: begins a second factor. The answer shows the authenticator's secret, once. Logins ask for it
// when a code has confirmed it.

const readBegin = compileReader(Type.Object({ password: PasswordText }, { expected: 'an object' }));

export const beginTotpEndpoint = endpoint({
  id: 'beginTotp',
  method: 'post',
  path: '/v1/auth/totp',
  tag: 'Users',
  summary: 'Begins a second factor: shows the authenticator’s secret, once.',
  description: 'RFC 6238: SHA-1, six digits, 30 seconds. Confirm it within an hour.',
  credential: 'token',
  asks: ['verified', 'password'],
  price: CHEAP,
  body: { schema: readBegin.schema, examples: { begin: { password: 'a good password' } } },
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
  errors: { 409: ['second_factor_on'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user } = await requireLiveUser(ctx, parts);
    requireVerified(user, parts.config);
    const { password } = readBegin(await parts.readBody(ctx));
    await requirePassword(ctx, parts, { user, password, action: 'second_factor.on' });
    const begun = await parts.secondFactors.begin(user);
    if (begun === undefined) throw new RequestError(409, 'second_factor_on', 'The second factor is on. Turn it off first.');
    answerJson(ctx, begun);
  },
});

// POST /v1/auth/totp/confirm `{code}`: turns the second factor on that was begun. The answer shows the recovery codes, once.
// All other sessions end: they were begun without it.

const readConfirmation = compileReader(Type.Object({ code: CodeText }, { expected: 'an object' }));

const RecoveryCodes = named(
  'RecoveryCodes',
  exactly({
    recovery_codes: described(Type.Array(Type.String()), 'Each is good once, in place of a code of the authenticator.'),
    message: Type.String(),
  }),
);
const KEEP_THEM = 'Keep these codes now: they are not shown again.';

export const confirmTotpEndpoint = endpoint({
  id: 'confirmTotp',
  method: 'post',
  path: '/v1/auth/totp/confirm',
  tag: 'Users',
  summary: 'Turns the second factor on, and ends all other sessions.',
  credential: 'token',
  asks: ['verified', 'newFactor'],
  price: CHEAP,
  body: { schema: readConfirmation.schema, examples: { confirm: { code: '123456' } } },
  answer: { about: 'Recovery codes, shown once.', schema: RecoveryCodes },
  errors: { 409: ['no_second_factor'], 503: ['busy'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { user, session } = await requireLiveUser(ctx, parts);
    requireVerified(user, parts.config);
    const { code } = readConfirmation(await parts.readBody(ctx));
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

const readBoth = compileReader(PasswordAndCode);

/** Of an endpoint that asks for both factors, its own part. */
interface FactorAct extends Pick<Endpoint, 'id' | 'method' | 'path' | 'summary' | 'answer'> {
  readonly example: string;
  readonly action: 'second_factor.recovery_renewed' | 'second_factor.off';
  readonly notice: 'recovery_codes.renewed' | 'second_factor.off';
  /** @param checkCode the check of the second factor @returns the answer */
  readonly act: (factors: AuthParts['secondFactors'], userId: string, checkCode: () => Promise<void>) => Promise<object>;
}

const factorEndpoint = ({ example, action, notice, act, ...own }: FactorAct) =>
  endpoint({
    ...own,
    tag: 'Users',
    credential: 'token',
    asks: ['password', 'secondFactor'],
    price: CHEAP,
    body: { schema: readBoth.schema, examples: { [example]: { password: 'a good password', code: '123456' } } },
    errors: { 409: ['no_second_factor'], 503: ['busy'] },
    handle: (parts: AuthParts) => async (ctx) => {
      const live = await requireLiveUser(ctx, parts);
      const { user } = live;
      const { password, code } = readBoth(await parts.readBody(ctx));
      await requirePassword(ctx, parts, { user, password, action });
      const checkCode = () => requireSecondFactor(ctx, parts, { ...live, code, always: true });
      const answer = await act(parts.secondFactors, user._id, checkCode);
      await recordAudit(ctx, parts, { userId: user._id, action, outcome: 'ok' });
      sendNotice(ctx, parts, { user, kind: notice });
      answerJson(ctx, answer);
    },
  });

/** POST /v1/auth/totp/recovery-codes `{password, code}`: ten new recovery codes, shown once, in place of all others. */
export const renewRecoveryCodesEndpoint = factorEndpoint({
  id: 'renewRecoveryCodes',
  method: 'post',
  path: '/v1/auth/totp/recovery-codes',
  summary: 'Ten new recovery codes in place of all others.',
  answer: { about: 'Recovery codes, shown once.', schema: RecoveryCodes },
  example: 'renew',
  action: 'second_factor.recovery_renewed',
  notice: 'recovery_codes.renewed',
  act: async (factors, userId, checkCode) => {
    await checkCode();
    return { recovery_codes: await factors.renewRecovery(userId), message: KEEP_THEM };
  },
});

/** DELETE /v1/auth/totp `{password, code}`: turns the second factor off. A recovery code does it too. */
export const endTotpEndpoint = factorEndpoint({
  id: 'endTotp',
  method: 'delete',
  path: '/v1/auth/totp',
  summary: 'Turns the second factor off.',
  answer: { about: 'Logins ask for the password alone.', schema: Message },
  example: 'off',
  action: 'second_factor.off',
  notice: 'second_factor.off',
  act: async (factors, userId, checkCode) => {
    // One that was only begun asks for no code; it may be confirmed while this request is at work.
    const factor = await factors.find(userId);
    if (factor === undefined) throw none();
    await checkCode();
    if (!(await factors.remove(userId, factor))) throw none();
    return { message: 'The second factor is off.' };
  },
});

const none = (): RequestError => new RequestError(409, 'no_second_factor', 'There is no second factor.');
