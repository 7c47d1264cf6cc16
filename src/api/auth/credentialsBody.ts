// The body of register and login, and what an e-mail address is here: compared without regard to case or outer spaces.
import { type TSchema, Type } from '@sinclair/typebox';
import { compileReader, unreadable } from '../requestReader.ts';

/** Longest address that mail can carry (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;
const EMAIL_FORM = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** @param password its own schema: register asks for a length, login for a text */
export function compileCredentials(password: TSchema): (body: unknown) => { email: string; password: string } {
  const read = compileReader(
    Type.Object({ email: Type.String({ expected: 'an e-mail address' }), password }, { expected: 'an object' }),
  );
  return (body) => {
    const { email, password } = read(body) as { email: string; password: string };
    return { email: toEmail(email), password };
  };
}

/** @throws {RequestError} 400 when it is none */
function toEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL_FORM.test(email)) throw unreadable('email must be an e-mail address');
  return email;
}
