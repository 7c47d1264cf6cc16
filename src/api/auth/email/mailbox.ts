// The mailbox behind an e-mail address: addresses that differ only in what their provider ignores are one. Only
// providers that document this are listed; elsewhere a tag may be another person's.

/** Everything from a plus sign on is a tag of the user's own. */
const WITH_TAGS = new Set([
  ...['gmail.com', 'outlook.com', 'hotmail.com', 'live.com', 'icloud.com', 'me.com', 'mac.com', 'fastmail.com'],
  ...['proton.me', 'protonmail.com', 'pm.me', 'zoho.com', 'yandex.com'],
]);
/** Dots in the local part mean nothing. */
const WITHOUT_DOTS = new Set(['gmail.com']);
/** Names of one provider. */
const SAME: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' };

/** @param email in lower case */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const given = email.slice(at + 1);
  const host = SAME[given] ?? given;
  let local = email.slice(0, at);
  const plus = local.indexOf('+');
  if (WITH_TAGS.has(host) && plus > 0) local = local.slice(0, plus);
  if (WITHOUT_DOTS.has(host)) local = local.replaceAll('.', '');
  return `${local}@${host}`;
}
