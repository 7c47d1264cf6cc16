// DELETE /v1/auth/session: logs a browser out by its cookie, also where its access token is over. Any value that was ever
// given for the session does: to end it is all that it can still do.

import { Message } from '../../contract/answerValues.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { answerJson } from '../../http/answers.ts';
import { recordAudit } from '../../http/audited.ts';
import { createOriginCheck } from '../../http/browser.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { AuthParts } from '../authParts.ts';
import { CROSS_SITE, OurPage } from './browserContract.ts';
import { countCookie, findShown, noSession, shownBy, takeCookie } from './browserCookie.ts';

export const endBrowserSessionEndpoint = endpoint({
  id: 'endBrowserSession',
  method: 'delete',
  path: '/v1/auth/session',
  tag: 'Users',
  summary: 'Logs a browser out.',
  credential: 'cookie',
  price: CHEAP,
  headers: OurPage,
  answer: { about: 'The session has ended, with all of its access tokens.', schema: Message, setsCookie: true },
  errors: { 403: CROSS_SITE },
  handle: (parts: AuthParts) => {
    const { config, sessions, credentials } = parts;
    const requireOurPage = createOriginCheck(config);
    return async (ctx) => {
      requireOurPage(ctx);
      await countCookie(ctx, parts);
      takeCookie(ctx, parts);
      const shown = shownBy(ctx, parts);
      const found = shown && (await findShown(shown, parts));
      if (found === undefined) throw noSession();
      const { _id, userId } = found.session;
      if (!(await sessions.end(userId, _id))) throw noSession();
      await credentials.announceChange(userId, []);
      await recordAudit(ctx, parts, { userId, action: 'logout', outcome: 'ok' });
      answerJson(ctx, { message: 'You are logged out.' });
    };
  },
});
