// Notices: the mails that tell users of security-relevant acts on their accounts.

import type { Logger } from '../../../shared/logger.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RateLimit } from '../../access/limits/rateLimit.ts';
import { addressOf, type RouteContext } from '../../access/requestContext.ts';
import type { OutgoingMails } from '../parts/background.ts';

// What a notice says: title, what was done, when and from where, and what to do if it was not the user.

/** The acts that users are told of. */
type NoticeKind =
  | 'password.change'
  | 'password.reset'
  | 'email.verified'
  | 'login.new_device'
  | 'account.deleted'
  | 'api_key.created'
  | 'api_key.changed'
  | 'second_factor.on'
  | 'second_factor.off'
  | 'second_factor.refused'
  | 'recovery_code.used'
  | 'recovery_codes.renewed';

interface NoticeWords {
  readonly title: string;
  readonly done: (subject: string) => string;
  /** What to do about it; absent = ADVICE. */
  readonly advice?: string;
}

const NOTICES: Readonly<Record<NoticeKind, NoticeWords>> = {
  'password.change': {
    title: 'Your password was changed',
    done: () => 'The password of your account was changed. All other logins have ended; API keys work on.',
  },
  'password.reset': {
    title: 'Your password was reset',
    done: (keys) => `A new password was set with the link of a mail to this address. All logins have ended. API keys: ${keys}.`,
  },
  'email.verified': { title: 'Your e-mail address is verified', done: () => 'This address now belongs to your account.' },
  'login.new_device': {
    title: 'A login from a new device',
    done: () => 'Your password was used to log in from a device or an address that was not used before.',
  },
  'account.deleted': {
    title: 'Your account was deleted',
    done: () => 'Your account was deleted, with all logins and API keys. Its history goes within two days.',
    advice: 'If it was not you: tell the operator of this service today.',
  },
  'api_key.changed': {
    title: 'An API key was changed',
    done: (name) =>
      `The limits, the account or the name of the API key "${name}" were changed: what it may do, until when, from where, and to which account.`,
  },
  'api_key.created': { title: 'A new API key', done: (name) => `The API key "${name}" was made for your account.` },
  'second_factor.on': { title: 'A second factor is on', done: () => 'Logins to your account now ask for a code.' },
  'second_factor.off': { title: 'The second factor is off', done: () => 'Logins to your account no longer ask for a code.' },
  'second_factor.refused': {
    title: 'A login with a wrong code',
    done: () =>
      'Your password was right, and the code of the second factor was wrong: no login. Somebody may know your password.',
  },
  'recovery_code.used': {
    title: 'A recovery code was used',
    done: (left) => `A recovery code was used in place of the second factor. Codes left: ${left}.`,
  },
  'recovery_codes.renewed': {
    title: 'New recovery codes',
    done: () => 'New recovery codes were made for your account. The ones before are good for nothing.',
  },
};

const ADVICE = 'If it was not you: set a new password (forgot password) with "revoke keys", which ends every login and API key.';

/**
 * A notice as a mail.
 * @param act.subject the object of the act, of any characters: others than printable ASCII are replaced
 */
export function noticeText(
  kind: NoticeKind,
  { timeMs, address, subject = '' }: { timeMs: number; address: string; subject?: string },
): { title: string; text: string } {
  const { title, done, advice = ADVICE } = NOTICES[kind];
  const when = `Time: ${new Date(timeMs).toISOString()}\nNetwork address: ${printable(address)}`;
  return { title, text: [done(printable(subject)), when, advice].join('\n\n') };
}

/** A key's name must not write lines of its own into a mail. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100);

// Mails that tell a user of a security-relevant act on the account, so that one that was not theirs does not stay unseen. A
// request does not wait for them, and they are bounded per user: a thief cannot bury one among thousands.

/** Notices of one kind to one user, an hour. */
const NOTICES_PER_HOUR = 5;

interface NoticeParts {
  readonly mails: OutgoingMails;
  /** Counts by the hour. */
  readonly hourLimit: RateLimit;
  readonly log: Logger;
}

/** What a user is told. `subject`: the object of the act, e.g. a key's name. */
interface Notice {
  readonly user: Pick<User, '_id' | 'email'>;
  readonly kind: NoticeKind;
  readonly subject?: string;
}

/** Mails a user that the act has happened. Never waits, never throws: the act is done. */
export function sendNotice(ctx: RouteContext, { mails, hourLimit, log }: NoticeParts, { user, kind, subject }: Notice): void {
  const { requestId, receivedAtMs } = ctx.state.request;
  const { title, text } = noticeText(kind, {
    timeMs: receivedAtMs,
    address: addressOf(ctx),
    ...(subject !== undefined && { subject }),
  });
  const send = async (): Promise<void> => {
    const { isGranted } = await hourLimit.admit(`notice:${kind}:${user._id}`, NOTICES_PER_HOUR);
    if (isGranted) mails.sendNotice({ to: user.email, subject: title, text }, { name: `notice ${kind}`, requestId });
    else log.debug({ requestId, userId: user._id, kind }, 'a notice is not sent: the user has had many of them this hour');
  };
  send().catch((error: unknown) => log.error({ requestId, kind, err: error }, 'a notice could not be sent'));
}
