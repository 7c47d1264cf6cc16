// The access of clients to an API node: the stores of users, keys and sessions, the node's memory of them, and the limits of requests.
import { Counter, type Registry } from 'prom-client';
import { DeploymentSecrets, KeptSecret } from '../../shared/access/secrets.ts';
import type { RoleParts } from '../../shared/deployment/role.ts';
import { KeyStore } from '../../shared/mongo/keyStore.ts';
import { SessionStore } from '../../shared/mongo/sessionStore.ts';
import { UserStore } from '../../shared/mongo/userStore.ts';
import type { PathPrices } from '../domain/requestPrice.ts';
import { AccessTokens } from './accessTokens.ts';
import { Admission } from './admission.ts';
import { Credentials } from './credentials.ts';
import { KeyUsage, SessionUsage } from './lastUses.ts';
import { HeldBytes, UnreadAnswers } from './limits/heldBytes.ts';
import { hourWindow, RateLimit } from './limits/rateLimit.ts';
import { createSeldomLog } from './limits/seldomLog.ts';

/** Choices of a test. */
export interface AccessChoices {
  /** The clock of access tokens; absent: exchange time. */
  readonly tokensNow?: () => number;
  /** How long Redis may take to count a request, ms. */
  readonly answerMs?: number;
  /** Of the limits by the minute, ms. */
  readonly windowMs?: number;
}

type Parts = Pick<RoleParts, 'config' | 'log' | 'redis' | 'mongo' | 'now' | 'clock' | 'registry'>;

export type NodeAccess = ReturnType<typeof createAccess>;

/** @param options.prices of the deployment's endpoints */
export function createAccess(parts: Parts, options: AccessChoices & { readonly prices: PathPrices }) {
  const { config, log, redis, mongo, now } = parts;
  const { tokensNow = now, windowMs } = options;
  const users = new UserStore(mongo);
  const keys = new KeyStore(mongo);
  const sessions = new SessionStore(mongo);
  const sessionUsage = new SessionUsage({ sessions, log });
  const credentials = new Credentials({ config, redis, keys, users, sessions, sessionUsage, log, now });
  const keyUsage = new KeyUsage({ redis, log });
  const secrets = new DeploymentSecrets(config, new KeptSecret(mongo));
  const tokens = new AccessTokens({ config, secrets, now: tokensNow });
  const { rateLimit, hourLimit } = createLimits(parts, { ...options, windowMs });
  const seldom = createSeldomLog(log, now);
  const unread = new UnreadAnswers({ config, log: seldom });
  return {
    ...{ users, keys, sessions, sessionUsage, credentials, keyUsage, secrets, tokens, rateLimit, hourLimit, seldom, unread },
    held: new HeldBytes(config),
    admission: new Admission({ config, credentials, tokens, keyUsage, rateLimit, prices: options.prices }),
    /** Resolves when the node hears of changes of users and keys. */
    async startAccess(): Promise<void> {
      await credentials.start();
      keyUsage.start();
      sessionUsage.start();
      unread.start();
    },
    /** Stores what it has noted of uses. */
    async stopAccess(): Promise<void> {
      unread.stop();
      await Promise.all([keyUsage.stop(), sessionUsage.stop()]);
      credentials.stop();
    },
  };
}

function createLimits(
  { redis, log, now, clock, registry }: Parts,
  { answerMs, windowMs }: { readonly answerMs?: number | undefined; readonly windowMs: number | undefined },
) {
  const counting = { redis, log, now, clock, onLocal: countLocally(registry), ...(answerMs !== undefined && { answerMs }) };
  const rateLimit = new RateLimit({ ...counting, ...(windowMs !== undefined && { windowMs }) });
  return { rateLimit, hourLimit: new RateLimit({ ...counting, ...hourWindow }) };
}

/**
 * How many requests an API node counted alone, because Redis did not: a limit then holds for each node, not for all together.
 * @returns notes so many requests
 */
function countLocally(registry: Registry): (requests: number) => void {
  const counter = new Counter({
    name: 'api_limiter_local_total',
    help: 'Requests that this node counted alone, because Redis did not.',
    registers: [registry],
  });
  return (requests) => counter.inc(requests);
}
