// Alerts as mails, to the verified address of their user and to no other. The address is read at each try: a mail follows the user, and
// an address that is not verified any more gets none.

import { collections } from '../../../shared/mongo/mongo.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { withTimeout } from '../../../shared/waiting.ts';
import { alertMail } from '../rules/alertMessage.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import type { Together } from './deliverTogether.ts';
import type { TryResult } from './tryResult.ts';
import type { TurnParts } from './turnParts.ts';

/** Alerts of one mail, of about 200 bytes each. */
const ALERTS_PER_MAIL = 100;
/** An endpoint has a mail a minute at most. */
const MAIL_PAUSE_MS = 60_000;
/** Longest that a try takes, ms; each step of the mail server has a bound of its own (mailer.ts). */
const TRY_MS_MAX = 60_000;

type Parts = Pick<TurnParts, 'mongo' | 'mailer' | 'publicUrl'>;

export const mailChannel = (parts: Parts): Together => ({
  max: ALERTS_PER_MAIL,
  pauseMs: MAIL_PAUSE_MS,
  send: (endpoint, bodies) => sendMail(parts, endpoint, bodies),
});

async function sendMail(
  { mongo, mailer, publicUrl }: Parts,
  { userId }: AlertEndpointDocument,
  bodies: readonly string[],
): Promise<TryResult> {
  const users = mongo.db.collection<Pick<User, '_id' | 'email' | 'emailVerifiedAt'>>(collections.users);
  const user = await users.findOne({ _id: userId }, { projection: { email: 1, emailVerifiedAt: 1 } });
  if (!(user?.emailVerifiedAt instanceof Date)) return { isDelivered: false, result: 'the user has no verified e-mail address' };
  const mail = { to: user.email, ...alertMail(bodies, `${publicUrl}/alerts`) };
  try {
    await withTimeout(TRY_MS_MAX, 'a mail', mailer(mail));
    return { isDelivered: true, result: 'the mail was handed over' };
  } catch (error) {
    return { isDelivered: false, result: reasonOf(error) };
  }
}

/** Nothing of what the server has said, for it may name the address, or a credential. */
function reasonOf(error: unknown): string {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' ? `the mail server answered ${responseCode}` : 'the mail server cannot be reached';
}
