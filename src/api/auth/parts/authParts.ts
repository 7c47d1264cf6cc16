// The parts that the endpoints below /v1/auth need.
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Config } from '../../../shared/config/config.ts';
import { RequestError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { AuditLog } from '../../../shared/mongo/auditLog.ts';
import type { DeletedUsers } from '../../../shared/mongo/deletedUsers.ts';
import type { KeyStore } from '../../../shared/mongo/keyStore.ts';
import type { SessionStore } from '../../../shared/mongo/sessionStore.ts';
import type { User, UserStore } from '../../../shared/mongo/userStore.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccessTokens } from '../../access/accessTokens.ts';
import type { Credentials } from '../../access/credentials.ts';
import type { KeyUsage, SessionUsage } from '../../access/lastUses.ts';
import type { RateLimit } from '../../access/limits/rateLimit.ts';
import { type RouteContext, requireToken } from '../../access/requestContext.ts';
import type { AccountCommands } from '../../accounts/accountCommands.ts';
import type { OwnAccounts } from '../../accounts/services.ts';
import type { BodyReader } from '../../http/body.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { Background, OutgoingMails } from './background.ts';
import type { DeviceTokens, KnownNetworks } from './devices.ts';
import type { Passwords } from './passwords.ts';
import type { RefreshCookies } from './refreshCookies.ts';
import type { SecondFactors } from './secondFactors.ts';
import type { Trials } from './trials.ts';

export interface AuthParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly users: UserStore;
  readonly deletedUsers: DeletedUsers;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly sessionUsage: SessionUsage;
  readonly redis: Redis;
  readonly passwords: Passwords;
  readonly secondFactors: SecondFactors;
  readonly cookies: RefreshCookies;
  readonly devices: DeviceTokens;
  readonly networks: KnownNetworks;
  readonly trials: Trials;
  readonly secrets: DeploymentSecrets;
  readonly tokens: AccessTokens;
  readonly credentials: Credentials;
  readonly keyUsage: KeyUsage;
  readonly accounts: AccountCommands;
  readonly ownAccounts: OwnAccounts;
  readonly readBody: BodyReader;
  readonly audit: AuditLog;
  readonly idempotency: Idempotency;
  /** Counts by the minute. */
  readonly rateLimit: RateLimit;
  /** Counts by the hour. */
  readonly hourLimit: RateLimit;
  readonly background: Background;
  readonly mails: OutgoingMails;
}

/** The user behind the request's access token. @throws {RequestError} 401 without a token, or when the user is gone */
export async function requireUser(ctx: RouteContext, { users }: AuthParts): Promise<User> {
  const user = await users.findById(requireToken(ctx).userId);
  if (user === null) throw new RequestError(401, 'invalid_token', 'The user of this access token no longer exists.');
  return user;
}
