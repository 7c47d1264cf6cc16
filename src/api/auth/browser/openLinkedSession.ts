// POST /v1/auth/session/link `{link_token}`: logs a browser of this machine in by a link that bin/start or an operator's command has
// printed. A link is good once and for an hour, only where no other machine reaches the exchange, and not for a user with a second
// factor: it stands for a password alone.

import { Type } from '@sinclair/typebox';
import { takeLoginLink } from '../../../shared/access/loginLinks.ts';
import { reachedByOthers } from '../../../shared/config/rules.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import { CHEAP } from '../../domain/requestPrice.ts';
import { recordAudit } from '../../http/audited.ts';
import { createOriginCheck } from '../../http/browser.ts';
import { endpoint } from '../../http/endpoint.ts';
import { compileReader } from '../../http/requestReader.ts';
import type { AuthParts } from '../authParts.ts';
import { LinkToken } from '../credentialsBody.ts';
import { answerNewSession, newSessionAnswer } from './answerNewSession.ts';
import { CROSS_SITE, OurPage } from './browserContract.ts';
import { countCookie } from './browserCookie.ts';

const readBody = compileReader(Type.Object({ link_token: LinkToken }, { expected: 'an object' }));

export const openLinkedSessionEndpoint = endpoint({
  id: 'openLinkedSession',
  method: 'post',
  path: '/v1/auth/session/link',
  tag: 'Users',
  summary: 'Logs a browser of this machine in by a one-time link.',
  description:
    '`bin/start` prints such a link for the demo account, `bin/admin user login-link` one for any user without a second factor. It is good once, for an hour, and only where no other machine reaches the exchange.',
  credential: 'none',
  price: CHEAP,
  headers: OurPage,
  body: { schema: readBody.schema, examples: { link: { link_token: 'the token of the link' } } },
  answer: newSessionAnswer,
  errors: { 401: ['invalid_link'], 403: [...CROSS_SITE, 'only_on_this_machine'] },
  handle: (parts: AuthParts) => {
    const { config, redis } = parts;
    const requireOurPage = createOriginCheck(config);
    const reached = reachedByOthers(config);
    return async (ctx) => {
      requireOurPage(ctx);
      const { link_token: token } = readBody(await parts.readBody(ctx));
      if (reached !== undefined)
        throw new RequestError(403, 'only_on_this_machine', `Links log in on one machine only, and ${reached}.`);
      await countCookie(ctx, parts);
      const user = await ownerOf(await takeLoginLink(redis, token), parts);
      await recordAudit(ctx, parts, { userId: user._id, action: 'login', outcome: 'ok', actor: 'login link', detail: 'browser' });
      await answerNewSession(ctx, parts, { user });
    };
  },
});

/** @throws {RequestError} 401 for a link that opens nothing */
async function ownerOf(userId: string | undefined, { users, secondFactors }: AuthParts): Promise<User> {
  const user = userId === undefined ? null : await users.findById(userId);
  if (user !== null && (await secondFactors.find(user._id)) === undefined) return user;
  throw new RequestError(401, 'invalid_link', 'This link is not valid, was used before, or is older than an hour.');
}
