// The parts that the endpoints below /v1/auth need.
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { RoleParts } from '../../../shared/deployment/role.ts';
import type { Logger } from '../../../shared/logger.ts';
import { createMailer } from '../../../shared/mailer.ts';
import type { AuditLog } from '../../../shared/mongo/auditLog.ts';
import { DeletedUsers } from '../../../shared/mongo/deletedUsers.ts';
import type { KeyStore } from '../../../shared/mongo/keyStore.ts';
import { SecondFactorStore } from '../../../shared/mongo/secondFactorStore.ts';
import type { SessionStore } from '../../../shared/mongo/sessionStore.ts';
import { TrialStore } from '../../../shared/mongo/trialStore.ts';
import type { UserStore } from '../../../shared/mongo/userStore.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccessTokens } from '../../access/accessTokens.ts';
import type { Credentials } from '../../access/credentials.ts';
import type { KeyUsage, SessionUsage } from '../../access/lastUses.ts';
import type { RateLimit } from '../../access/limits/rateLimit.ts';
import type { NodeAccess } from '../../access/nodeAccess.ts';
import type { AccountGateway } from '../../accounts/accountGateway.ts';
import type { OwnAccounts } from '../../accounts/services.ts';
import { type BodyReader, createBodyReader } from '../../http/body.ts';
import { Idempotency } from '../../http/idempotency.ts';
import { Background, OutgoingMails } from './background.ts';
import { DeviceTokens, KnownNetworks } from './devices.ts';
import { Passwords } from './passwords.ts';
import { RefreshCookies } from './refreshCookies.ts';
import { SecondFactors } from './secondFactors.ts';
import { Trials } from './trials.ts';

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
  readonly accounts: AccountGateway;
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

interface Given extends Pick<RoleParts, 'config' | 'log' | 'now' | 'realNow' | 'redis' | 'mongo'> {
  readonly access: NodeAccess;
  readonly accounts: AccountGateway;
  readonly ownAccounts: OwnAccounts;
  readonly audit: AuditLog;
}

/** The parts, and the stop of the work that goes on behind the answers. */
export function createAuth(given: Given): AuthParts & { stopAuth(): Promise<void> } {
  const { config, log, now, realNow, redis, mongo, access, accounts, ownAccounts, audit } = given;
  const { users, secrets, held } = access;
  const background = new Background(log);
  const mails = new OutgoingMails({ log, mailer: createMailer({ config, log, now: realNow }) });
  return {
    ...access,
    ...{ config, log, now, redis, accounts, ownAccounts, audit, background, mails },
    deletedUsers: new DeletedUsers(mongo),
    passwords: new Passwords(config),
    // A user's authenticator shows codes of real time.
    secondFactors: new SecondFactors({ store: new SecondFactorStore(mongo), secrets, log, now: realNow }),
    cookies: new RefreshCookies(secrets),
    devices: new DeviceTokens({ secrets, now }),
    networks: new KnownNetworks({ secrets, users }),
    trials: new Trials({ secrets, store: new TrialStore(mongo), users }),
    readBody: createBodyReader({ config, held }),
    idempotency: new Idempotency({ redis, config, log, secret: () => secrets.keyFor('idempotency') }),
    stopAuth: async () => {
      await Promise.all([background.stop(), mails.stop()]);
    },
  };
}
