// Mails that tell a user of a security-relevant act on the account, so that one that was not theirs does not stay
// unseen. A request does not wait for them, and they are bounded per user: a thief cannot bury one among thousands.
import type { Logger } from '../../shared/logger.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { RateLimit } from '../access/limits/rateLimit.ts';
import { addressOf, type RouteContext } from '../access/requestContext.ts';
import { type NoticeKind, noticeText } from './noticeText.ts';
import type { OutgoingMails } from './outgoingMails.ts';

/** Notices of one kind to one user, an hour. */
const NOTICES_PER_HOUR = 5;

export interface NoticeParts {
  readonly mails: OutgoingMails;
  /** Counts by the hour. */
  readonly hourLimit: RateLimit;
  readonly log: Logger;
}

/** What a user is told. `subject`: the object of the act, e.g. a key's name. */
export interface Notice {
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
