// Access tokens (JWT, HS256) for dashboards: their signature, the rule by which a token is in force, the life of a session, and the
// secrets behind them. A token names the key that signed it (`kid`), so that keys can change while tokens of the key before live on. Every
// node accepts the tokens of the others.
import { randomBytes } from 'node:crypto';
import jsonwebtoken, { type JwtPayload, type VerifyOptions } from 'jsonwebtoken';
import type { DeploymentSecrets } from '../../shared/access/secrets.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';

const ALGORITHM = 'HS256';
/** Who issues tokens, and for whom: a token of another service that shares the key is none of ours. */
const ISSUER = 'paper-perps-exchange';
const AUDIENCE = 'paper-perps-exchange/v1';

/** What a token says. Its user's document decides whether it is still valid (tokenOwners.ts). */
export interface TokenClaims {
  readonly userId: string;
  /** Names the token. */
  readonly id: string;
  /** The user's `tokenGeneration` when it was issued. */
  readonly generation: number;
  /** The session that it belongs to. */
  readonly sessionId: string;
  readonly expiresAtMs: number;
}

export class AccessTokens {
  readonly #config: Pick<Config, 'JWT_TTL_SECONDS'>;
  readonly #secrets: Pick<DeploymentSecrets, 'signingKeys'>;
  readonly #now: () => number;

  /** @param options.now the time that all nodes share, ms: by a machine's own clock one node would refuse what another issues */
  constructor(options: {
    config: Pick<Config, 'JWT_TTL_SECONDS'>;
    secrets: Pick<DeploymentSecrets, 'signingKeys'>;
    now: () => number;
  }) {
    this.#config = options.config;
    this.#secrets = options.secrets;
    this.#now = options.now;
  }

  /** @param issued.secondsMax what is left of the session: no token outlives it */
  async issue(issued: {
    userId: string;
    plan: Plan;
    generation: number;
    sessionId: string;
    secondsMax: number;
  }): Promise<string> {
    const [{ id: keyid, secret }] = await this.#secrets.signingKeys();
    const { userId, plan, generation, sessionId, secondsMax } = issued;
    const expiresIn = Math.min(this.#config.JWT_TTL_SECONDS, secondsMax);
    const jwtid = randomBytes(12).toString('hex');
    const claims = { plan, gen: generation, sid: sessionId, iat: this.#seconds() };
    const named = { keyid, issuer: ISSUER, audience: AUDIENCE, subject: userId, jwtid };
    return jsonwebtoken.sign(claims, secret, { algorithm: ALGORITHM, ...named, expiresIn });
  }

  /** @returns undefined when the token is not ours, has been changed or is over */
  async read(token: string): Promise<TokenClaims | undefined> {
    const claims = await this.#verified(token);
    if (claims === undefined) return undefined;
    const { sub: userId, jti: id, exp, gen: generation, sid: sessionId } = claims;
    const isWhole = userId !== undefined && id !== undefined && exp !== undefined && generation !== undefined;
    return isWhole && sessionId !== undefined ? { userId, id, generation, sessionId, expiresAtMs: exp * 1000 } : undefined;
  }

  /** By the key that the token names. */
  async #verified(token: string): Promise<JwtPayload | undefined> {
    const kid = keyNameOf(token);
    const key = (await this.#secrets.signingKeys()).find(({ id }) => id === kid);
    if (key === undefined) return undefined;
    const issued = { issuer: ISSUER, audience: AUDIENCE };
    const checks = { algorithms: [ALGORITHM], clockTimestamp: this.#seconds(), ...issued } satisfies VerifyOptions;
    try {
      const claims = jsonwebtoken.verify(token, key.secret, checks);
      return typeof claims === 'string' ? undefined : claims;
    } catch {
      return undefined; // the check is a computation, so only the token can be at fault
    }
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }
}

/** @returns undefined for what is no token that names its key */
function keyNameOf(token: string): string | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
    const { kid } = (header ?? {}) as { kid?: unknown };
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined; // text of a stranger
  }
}

/** The rule by which an access token is in force, for what is cached of its owner and for documents just read alike. */
export interface TokenOwnerState {
  /** Tokens and sessions of an earlier generation have ended. */
  readonly generation: number;
  /** The one token that lives on when the generation rises; its session is taken along a moment later. */
  readonly keptTokenId: string | undefined;
}

/** @param session the one that the token names; undefined when it has ended */
export function isTokenInForce(
  { id, generation }: Pick<TokenClaims, 'id' | 'generation'>,
  owner: TokenOwnerState,
  session: { readonly generation: number } | undefined,
): boolean {
  if (session === undefined) return false;
  if (id === owner.keptTokenId && generation <= owner.generation) return true;
  // A session is taken along to later generations, with the tokens that it has given.
  return session.generation === owner.generation && generation <= session.generation;
}

/**
 * A session has an absolute life from its login, and an idle one from its last use. Both follow from the session's times, so a
 * shorter life in the configuration holds for sessions that have begun already.
 */
export type SessionLifeConfig = Pick<Config, 'SESSION_MAX_HOURS' | 'SESSION_IDLE_MINUTES'>;

/** When a session ends whatever is done with it, ms since the epoch. */
export const latestEndMs = ({ SESSION_MAX_HOURS }: SessionLifeConfig, createdAtMs: number): number =>
  createdAtMs + SESSION_MAX_HOURS * HOUR_MS;

/** When a session ends unless it is used, ms since the epoch. */
export function endMs(config: SessionLifeConfig, { createdAtMs, usedAtMs }: { createdAtMs: number; usedAtMs: number }): number {
  return Math.min(latestEndMs(config, createdAtMs), usedAtMs + config.SESSION_IDLE_MINUTES * MINUTE_MS);
}
