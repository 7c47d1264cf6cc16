// Who asks, and whether they may ask once more this minute. Requests count per API key, without one per user of an access
// token, and else per address; a key that this node has not seen counts once on its address before any store is asked,
// so that guessing keys is no way to load the stores.
import type { Context } from 'koa';
import type { Config } from '../shared/config.ts';
import { RequestError } from '../shared/errors.ts';
import type { AccessTokens } from './auth/accessTokens.ts';
import type { LimitUsage } from './call.ts';
import type { Credentials } from './credentials.ts';
import type { KeyUsage } from './keyUsage.ts';
import type { RateLimit } from './rateLimit.ts';
import { requestsPerMinute } from './requestsPerMinute.ts';
import type { Visit } from './visit.ts';

const BEARER = /^Bearer +(\S+)$/i;

export interface AdmissionParts {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly keyUsage: KeyUsage;
  readonly rateLimit: RateLimit;
}

type Arrival = Pick<Visit, 'requestId' | 'receivedAtMs'>;

export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /**
   * Counts the request and tells the limit in the answer's headers.
   * @param pathKey the API key in the path; a header's counts where both are given, for an address is shared more easily
   * @throws {RequestError} 429, or 503 when nobody can tell whose key it is
   */
  async admit(ctx: Context, pathKey: string | undefined, arrival: Arrival): Promise<Visit> {
    const { credentials } = this.#parts;
    const { 'x-api-key': headerKey, authorization } = ctx.req.headers;
    const apiKey = typeof headerKey === 'string' ? headerKey : pathKey;
    if (apiKey !== undefined) {
      const known = credentials.recall(apiKey);
      if (known !== undefined) return this.#admitKey(ctx, known, arrival);
      const limit = await this.#admitAddress(ctx, arrival);
      const found = await credentials.lookUp(apiKey);
      return found === undefined ? { ...arrival, limit } : this.#admitKey(ctx, found, arrival);
    }
    const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    const token = bearer === undefined ? undefined : await this.#parts.tokens.read(bearer);
    if (token === undefined) return { ...arrival, limit: await this.#admitAddress(ctx, arrival) };
    const cap = requestsPerMinute(token.plan, this.#parts.config);
    return { ...arrival, token, limit: await this.#count(ctx, { subject: `user:${token.userId}`, cap }, arrival) };
  }

  /** The limit of a request that is not counted. */
  uncounted(ctx: Context, arrival: Arrival): LimitUsage {
    const cap = this.#parts.config.ANONYMOUS_REQUESTS_PER_MINUTE;
    const limit = { used: 0, cap, resetMs: arrival.receivedAtMs + 60_000 };
    tellLimit(ctx, limit);
    return limit;
  }

  async #admitKey(ctx: Context, key: NonNullable<Visit['key']>, arrival: Arrival): Promise<Visit> {
    const { config, keyUsage } = this.#parts;
    const { keyId, plan } = key.caller;
    keyUsage.note(keyId, arrival.receivedAtMs);
    const limit = await this.#count(ctx, { subject: `key:${keyId}`, cap: requestsPerMinute(plan, config) }, arrival);
    return { ...arrival, key, limit };
  }

  #admitAddress(ctx: Context, arrival: Arrival): Promise<LimitUsage> {
    return this.#count(ctx, { subject: `address:${ctx.ip}`, cap: this.#parts.config.ANONYMOUS_REQUESTS_PER_MINUTE }, arrival);
  }

  async #count(ctx: Context, { subject, cap }: { subject: string; cap: number }, arrival: Arrival): Promise<LimitUsage> {
    const verdict = await this.#parts.rateLimit.admit(subject, cap);
    tellLimit(ctx, verdict);
    if (verdict.isGranted) return verdict;
    const seconds = Math.max(1, Math.ceil((verdict.resetMs - arrival.receivedAtMs) / 1000));
    throw new RequestError(429, 'rate_limited', `More than ${cap} requests a minute. Try again in ${seconds} s.`, {
      'Retry-After': String(seconds),
    });
  }
}

function tellLimit(ctx: Context, { used, cap, resetMs }: LimitUsage): void {
  ctx.res.setHeader('X-RateLimit-Limit', cap);
  ctx.res.setHeader('X-RateLimit-Remaining', Math.max(0, cap - used));
  ctx.res.setHeader('X-RateLimit-Reset', Math.ceil(resetMs / 1000));
}
