// Who asks, and whether they may ask again this minute. A request counts on its API key; without a key on the user of
// its access token; else on its address. A token beside a valid key is read too, for endpoints that want one. An
// unknown key counts on its address. From an address that has used up its requests only a few more keys are looked
// up, so that guessing keys cannot load the stores.
import type { Context } from 'koa';
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import type { LimitUsage } from '../accounts/services.ts';
import type { AccessTokens, TokenClaims } from './accessTokens.ts';
import type { Credentials, KeyRecord } from './credentials.ts';
import type { KeyUsage } from './keyUsage.ts';
import { LocalRateLimit } from './localRateLimit.ts';
import type { RateLimit, RateLimitDecision } from './rateLimit.ts';
import type { RequestContext } from './requestContext.ts';
import { requestsPerMinute } from './requestsPerMinute.ts';

/** Uncached keys that a node looks up for all addresses at their limit together. */
const SPARE_LOOK_UPS_PER_SECOND = 20;

const BEARER = /^Bearer +(\S+)$/i;

export interface AdmissionParts {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly keyUsage: KeyUsage;
  readonly rateLimit: RateLimit;
}

type Arrival = Pick<RequestContext, 'requestId' | 'receivedAtMs'>;

/** The limit of an address without a request: for answers to requests that are not counted. */
export function unusedLimit(config: Pick<Config, 'ANONYMOUS_REQUESTS_PER_MINUTE'>, nowMs: number): LimitUsage {
  return { used: 0, cap: config.ANONYMOUS_REQUESTS_PER_MINUTE, resetMs: nowMs + 60_000 };
}

/** The headers of every answer; the reset is in seconds since the epoch. */
export function limitHeaders({ used, cap, resetMs }: LimitUsage): Readonly<Record<string, number>> {
  return {
    'X-RateLimit-Limit': cap,
    'X-RateLimit-Remaining': Math.max(0, cap - used),
    'X-RateLimit-Reset': Math.ceil(resetMs / 1000),
  };
}

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #spareLookUps = new LocalRateLimit(SPARE_LOOK_UPS_PER_SECOND);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * Counts the request and tells the limit in the answer's headers.
   * @param pathKey the API key in the path; a header's counts where both are given, for an address is shared more easily
   * @throws {RequestError} 429, or 503 when no store can tell whose key it is
   */
  async admit(ctx: Context, pathKey: string | undefined, arrival: Arrival): Promise<RequestContext> {
    const { credentials, config } = this.#parts;
    const { 'x-api-key': headerKey } = ctx.req.headers;
    const apiKey = typeof headerKey === 'string' ? headerKey : pathKey;
    if (apiKey !== undefined) {
      const known = credentials.findCached(apiKey) ?? (await this.#lookUp(ctx, apiKey, arrival));
      return known === undefined
        ? { ...arrival, limit: await this.#admitAddress(ctx, arrival) }
        : this.#admitKey(ctx, known, arrival);
    }
    const found = await this.#tokenOf(ctx);
    if (found === undefined) return { ...arrival, limit: await this.#admitAddress(ctx, arrival) };
    const { token, plan } = found;
    const cap = requestsPerMinute(plan, config);
    return { ...arrival, token, limit: await this.#count(ctx, { subject: `user:${token.userId}`, cap }, arrival) };
  }

  /** The access token that came along, while it is in force. */
  async #tokenOf({ req }: Context): Promise<{ token: TokenClaims; plan: Plan } | undefined> {
    const { credentials, tokens } = this.#parts;
    const bearer = BEARER.exec(req.headers.authorization ?? '')?.[1];
    const token = bearer === undefined ? undefined : await tokens.read(bearer);
    const plan = token && (await credentials.tokenOwners.planOf(token));
    return token === undefined || plan === undefined ? undefined : { token, plan };
  }

  /** The limit of a request that is not counted. */
  uncounted(ctx: Context, arrival: Arrival): LimitUsage {
    const limit = unusedLimit(this.#parts.config, arrival.receivedAtMs);
    setLimitHeaders(ctx, limit);
    return limit;
  }

  /**
   * Looks up a key that this node has not cached. For an address that has used up its requests only some keys are looked up:
   * a valid key may still come from there, but guessing keys must not load the stores.
   * @returns undefined for a key that no user has
   */
  async #lookUp(ctx: Context, apiKey: string, arrival: Arrival): Promise<RequestContext['key']> {
    const { credentials, rateLimit, config } = this.#parts;
    const isAtLimit = rateLimit.isAtLimit(addressOf(ctx), config.ANONYMOUS_REQUESTS_PER_MINUTE);
    if (isAtLimit && !this.#spareLookUps.take(arrival.receivedAtMs)) return undefined;
    try {
      return await credentials.lookUp(apiKey);
    } catch (error) {
      await this.#admitAddress(ctx, arrival);
      throw error;
    }
  }

  /**
   * Counts a request that came over a socket of the key.
   * @throws {RequestError} 429
   */
  async admitPost({ caller: { keyId, plan } }: KeyRecord, receivedAtMs: number): Promise<LimitUsage> {
    this.#parts.keyUsage.note(keyId, receivedAtMs);
    const cap = requestsPerMinute(plan, this.#parts.config);
    return requireGranted(await this.#parts.rateLimit.admit(`key:${keyId}`, cap), receivedAtMs);
  }

  async #admitKey(ctx: Context, key: KeyRecord, arrival: Arrival): Promise<RequestContext> {
    const { config, keyUsage } = this.#parts;
    const { keyId, plan } = key.caller;
    keyUsage.note(keyId, arrival.receivedAtMs);
    const limit = await this.#count(ctx, { subject: `key:${keyId}`, cap: requestsPerMinute(plan, config) }, arrival);
    const token = (await this.#tokenOf(ctx))?.token;
    return { ...arrival, key, ...(token && { token }), limit };
  }

  #admitAddress(ctx: Context, arrival: Arrival): Promise<LimitUsage> {
    return this.#count(ctx, { subject: addressOf(ctx), cap: this.#parts.config.ANONYMOUS_REQUESTS_PER_MINUTE }, arrival);
  }

  async #count(ctx: Context, { subject, cap }: { subject: string; cap: number }, arrival: Arrival): Promise<LimitUsage> {
    const verdict = await this.#parts.rateLimit.admit(subject, cap);
    setLimitHeaders(ctx, verdict);
    return requireGranted(verdict, arrival.receivedAtMs);
  }
}

/** Limits are per minute. The extra time of a sub-window has passed when the next request arrives. */
const RETRY_SECONDS_MAX = 60;

/** @throws {RequestError} 429 for a request past the limit */
function requireGranted(verdict: RateLimitDecision, receivedAtMs: number): LimitUsage {
  if (verdict.isGranted) return verdict;
  const seconds = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil((verdict.resetMs - receivedAtMs) / 1000)));
  throw new RequestError(429, 'rate_limited', `More than ${verdict.cap} requests a minute. Try again in ${seconds} s.`, {
    'Retry-After': String(seconds),
  });
}

const addressOf = (ctx: Context): string => `address:${ctx.ip}`;

/** Writes a limit into the answer's headers. */
export function setLimitHeaders(ctx: Context, usage: LimitUsage): void {
  for (const [name, value] of Object.entries(limitHeaders(usage))) ctx.res.setHeader(name, value);
}
