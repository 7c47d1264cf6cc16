// The form of an e-mail address, without regard to case and outer spaces.

/** Longest address that mail can carry (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;
/** Before the @: dots between other characters only, and none that separates addresses in a mail's head: a mail must go to one person. */
const LOCAL_PART = '(?=.{1,64}@)[^\\s@\\p{C}<>(),;:"[\\]\\\\.]+(?:\\.[^\\s@\\p{C}<>(),;:"[\\]\\\\.]+)*';
const HOST_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
/** Behind it: a host's name of two labels or more, of which the last is no number, in any script. */
const EMAIL_FORM = new RegExp(`^${LOCAL_PART}@(?:${HOST_LABEL}\\.)+(?!\\p{N}+$)(?=..)${HOST_LABEL}$`, 'u');

export function isEmail(text: string): boolean {
  const email = text.trim().toLowerCase();
  return email.length <= EMAIL_LENGTH_MAX && EMAIL_FORM.test(email);
}
