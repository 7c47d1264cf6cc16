// What the endpoints below /v1/auth are made of.
import type Router from '@koa/router';
import type { AuditLog } from '../../shared/auditLog.ts';
import type { Config } from '../../shared/config.ts';
import type { DeletedUsers } from '../../shared/deletedUsers.ts';
import { RequestError } from '../../shared/errors.ts';
import type { KeyStore } from '../../shared/keyStore.ts';
import type { Logger } from '../../shared/logger.ts';
import type { User, UserStore } from '../../shared/userStore.ts';
import type { AccountCommands } from '../accountCommands.ts';
import type { Background } from '../background.ts';
import type { BodyReader } from '../body.ts';
import type { Credentials } from '../credentials.ts';
import type { Idempotency } from '../idempotency.ts';
import type { KeyUsage } from '../keyUsage.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { RateLimit } from '../rateLimit.ts';
import { requireToken, type Visit, type VisitContext } from '../visit.ts';
import type { AccessTokens } from './accessTokens.ts';
import type { Passwords } from './passwords.ts';

export interface AuthParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly users: UserStore;
  readonly deletedUsers: DeletedUsers;
  readonly keys: KeyStore;
  readonly passwords: Passwords;
  readonly tokens: AccessTokens;
  readonly credentials: Credentials;
  readonly keyUsage: KeyUsage;
  readonly accounts: AccountCommands;
  readonly readBody: BodyReader;
  readonly audit: AuditLog;
  readonly idempotency: Idempotency;
  readonly rateLimit: RateLimit;
  readonly background: Background;
  readonly mailer: Mailer;
}

export type AuthRouter = Router<{ visit: Visit }>;

/** The user behind the request's access token. @throws {RequestError} 401 without a token, or when the user is gone */
export async function requireUser(ctx: VisitContext, { users }: AuthParts): Promise<User> {
  const user = await users.findById(requireToken(ctx).userId);
  if (user === null) throw new RequestError(401, 'invalid_token', 'The user of this access token no longer exists.');
  return user;
}
