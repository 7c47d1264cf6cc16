// Passwords that guessing finds first: those on a list of common ones, which ships with a library, and those made of the
// user's own e-mail address or the service's name. Asked where a password is set, never at login: no user of before is
// kept out.
import { dictionary } from '@zxcvbn-ts/language-common';
import { RequestError } from '../../../shared/errors.ts';

/** The shortest password that may be set at all. */
const LENGTH_MIN = 8;
/** Words of the address that are shorter may be part of any password. */
const WORD_LENGTH_MIN = 4;
/** A password needs so many characters beside the words that are easily guessed for its user. */
const OWN_CHARACTERS_MIN = 5;
const SERVICE = ['paper', 'perps', 'perpetual', 'exchange'];

const common: ReadonlySet<string> = new Set(dictionary['passwords-common'].filter(({ length }) => length >= LENGTH_MIN));

/**
 * @param email of the user, where it is known
 * @throws {RequestError} 400 `weak_password`
 */
export function refuseWeakPassword(password: string, email = ''): void {
  const lower = password.toLowerCase();
  if (common.has(lower)) throw weak('This password is one of those that are tried first. Choose another, e.g. of several words.');
  const words = [...email.split('@'), ...email.split(/[^\p{L}\p{N}]+/u), ...SERVICE]
    .filter(({ length }) => length >= WORD_LENGTH_MIN)
    .sort((a, b) => b.length - a.length);
  const isGuessable = words.some((word) => lower.includes(word));
  const own = words.reduce((rest, word) => rest.replaceAll(word, ''), lower);
  if (isGuessable && own.length < OWN_CHARACTERS_MIN) {
    throw weak('This password is little more than your e-mail address or the name of this service. Choose another.');
  }
}

const weak = (text: string): RequestError => new RequestError(400, 'weak_password', text);
