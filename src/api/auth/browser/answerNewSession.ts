// A browser's new session: its cookie, and the answer with the first access token. It is always a new session: a cookie that came
// along, however it got into the browser, ends its own.
import type { User } from '../../../shared/mongo/userStore.ts';
import type { RouteContext } from '../../access/requestContext.ts';
import { exactly } from '../../contract/answerValues.ts';
import { named } from '../../contract/named.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import type { AuthParts } from '../authParts.ts';
import { LoginAnswer, tokenSeconds, toLoginAnswer } from '../loginAnswer.ts';
import { beginSession } from '../session/beginSession.ts';
import { ExpiresIn } from './browserContract.ts';
import { findShown, giveCookie, shownBy } from './browserCookie.ts';
import { firstCookie } from './refreshCookies.ts';

export const newSessionAnswer = {
  about: 'An access token of a new session.',
  schema: named('BrowserSession', exactly({ ...LoginAnswer.properties, expires_in: ExpiresIn })),
  setsCookie: true,
} as const;

export interface NewSession {
  readonly user: User;
  /** Of the device that is known already. */
  readonly deviceId?: string | undefined;
  readonly secondFactorAt?: Date | undefined;
}

/** Begins the session and answers it. */
export async function answerNewSession(
  ctx: RouteContext,
  parts: AuthParts,
  { user, deviceId, secondFactorAt }: NewSession,
): Promise<void> {
  const cookie = firstCookie(parts.now());
  const session = await beginSession(ctx, parts, user, { cookie, ...(secondFactorAt && { secondFactorAt }) });
  await endEarlier(ctx, parts);
  await giveCookie(ctx, parts, session);
  const answer = await toLoginAnswer(user, session, parts, deviceId);
  answerJson(ctx, { ...answer, expires_in: tokenSeconds(session, parts) });
}

/** Ends the session of the cookie that the new one replaces in the browser. */
async function endEarlier(ctx: RouteContext, parts: AuthParts): Promise<void> {
  const shown = shownBy(ctx, parts);
  const found = shown && (await findShown(shown, parts));
  if (found === undefined) return;
  const { _id, userId } = found.session;
  if (!(await parts.sessions.end(userId, _id))) return;
  await parts.credentials.announceChange(userId, []);
  await recordAudit(ctx, parts, { userId, action: 'session.ended', outcome: 'ok', detail: `${_id} by a new login` });
}
