// The fields of the bodies of register, login and similar endpoints: an e-mail address, compared without regard to
// case or outer spaces, and passwords.
import { type TSchema, Type } from '@sinclair/typebox';
import { named } from '../../contract/named.ts';
import { compileReader } from '../../http/requestReader.ts';

export const EmailText = Type.String({ format: 'email', expected: 'an e-mail address', examples: ['bot@example.com'] });
/** A new password: 8 to 128 characters. */
export const NewPassword = Type.String({ minLength: 8, maxLength: 128, expected: 'a text of 8 to 128 characters' });
/** The token of a mail's link. */
export const LinkToken = Type.String({ minLength: 1, maxLength: 256, expected: 'the token of the link' });
/** An existing password, of any length up to 128. */
export const PasswordText = Type.String({ minLength: 1, maxLength: 128, expected: 'a text of at most 128 characters' });

/** Asked for where the user has a second factor. */
export const CodeText = Type.String({
  ...{ minLength: 1, maxLength: 64, expected: 'a text of 1 to 64 characters', examples: ['123456'] },
  description: 'A code of the authenticator, or a recovery code. Needed where the user has a second factor.',
});

/** A body as it is remembered under an Idempotency-Key: a repetition of the request has another code. */
export const bodyWithoutCode = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'code' in body ? { ...body, code: undefined } : body;

/** For what needs both factors. */
export const PasswordAndCode = named(
  'PasswordAndCode',
  Type.Object({ password: PasswordText, code: CodeText }, { expected: 'an object' }),
);

/** @param password its own schema: register asks for a length, login for a text */
export function compileCredentials(password: TSchema) {
  const read = compileReader(Type.Object({ email: EmailText, password }, { expected: 'an object' }));
  const readCredentials = (body: unknown): { email: string; password: string } => {
    const { email, password } = read(body) as { email: string; password: string };
    return { email: toEmail(email), password };
  };
  return Object.assign(readCredentials, { schema: read.schema });
}

/** The body of login: any password, and the token by which a device is known. */
export function compileLogin() {
  const deviceToken = Type.Optional(
    Type.String({ maxLength: 200, expected: 'a text', description: '`device_token` of an earlier answer.' }),
  );
  const fields = { email: EmailText, password: PasswordText, code: Type.Optional(CodeText), device_token: deviceToken };
  const read = compileReader(named('LoginRequest', Type.Object(fields, { expected: 'an object' })));
  const readLogin = (body: unknown): { email: string; password: string; code?: string; device_token?: string } => {
    const given = read(body);
    return { ...given, email: toEmail(given.email) };
  };
  return Object.assign(readLogin, { schema: read.schema });
}

export const toEmail = (text: string): string => text.trim().toLowerCase();
