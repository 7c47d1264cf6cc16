// Who asks, and whether they may ask again this minute. A request counts on its API key; without a key on the user of
// its access token; else on its address. A token beside a valid key is read too, for endpoints that want one. A key that
// is unknown, over, or used from an address that it may not be used from counts on the address. From an address that has
// used up its requests only a few more keys are looked up, so that guessing keys cannot load the stores.
import type { Context } from 'koa';
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import type { LimitUsage } from '../accounts/services.ts';
import { basePrice, type Price } from '../domain/requestPrice.ts';
import type { AccessTokens, TokenClaims } from './accessTokens.ts';
import { addressOf, networkOf } from './clientAddress.ts';
import type { Credentials, KeyRecord } from './credentials.ts';
import { isAllowedFrom, isOver } from './keys/keyLimits.ts';
import type { KeyUsage } from './keyUsage.ts';
import { type Budget, budgetOfAddress, budgetOfKey, budgetOfToken, chargesOf, refusalOf, usageOf } from './limits/budget.ts';
import { LocalRateLimit } from './limits/localRateLimit.ts';
import type { RateLimit } from './rateLimit.ts';
import type { RequestContext } from './requestContext.ts';

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

/** Where a request counts, and the limit after it. */
type Counted = Pick<RequestContext, 'budget' | 'limit'>;

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
      if (known === undefined || isOver(known, arrival.receivedAtMs)) {
        return { ...arrival, ...(await this.#admitAddress(ctx, arrival)) };
      }
      // A key that was stolen must not use up the requests of its owner.
      return isAllowedFrom(known, addressOf(ctx))
        ? this.#admitKey(ctx, known, arrival)
        : { ...arrival, isKeyElsewhere: true, ...(await this.#admitAddress(ctx, arrival)) };
    }
    const found = await this.#tokenOf(ctx);
    if (found === undefined) return { ...arrival, ...(await this.#admitAddress(ctx, arrival)) };
    const { token, plan } = found;
    return { ...arrival, token, ...(await this.#count(ctx, budgetOfToken(token.userId, plan, config), arrival)) };
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
  uncounted(ctx: Context, arrival: Arrival): Counted {
    const { config } = this.#parts;
    const limit = unusedLimit(config, arrival.receivedAtMs);
    setLimitHeaders(ctx, limit);
    return { budget: budgetOfAddress(networkOf(ctx), config), limit };
  }

  /**
   * Looks up a key that this node has not cached. For an address that has used up its requests only some keys are looked up:
   * a valid key may still come from there, but guessing keys must not load the stores.
   * @returns undefined for a key that no user has
   */
  async #lookUp(ctx: Context, apiKey: string, arrival: Arrival): Promise<RequestContext['key']> {
    const { credentials, rateLimit, config } = this.#parts;
    const isAtLimit = rateLimit.isAtLimit(subjectOf(ctx), config.ANONYMOUS_REQUESTS_PER_MINUTE);
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
  async admitPost({ caller }: KeyRecord, price: Price, receivedAtMs: number): Promise<Counted> {
    this.#parts.keyUsage.note(caller.keyId, receivedAtMs);
    const budget = budgetOfKey(caller, this.#parts.config);
    const decision = await this.#parts.rateLimit.charge(chargesOf(budget, price));
    if (!decision.isGranted) throw refusalOf(budget, price, decision, receivedAtMs);
    return { budget, limit: usageOf(budget, decision) };
  }

  /**
   * Counts what an admitted request costs beyond the least that it was admitted for, now that its body is known.
   * @returns the request with its limit, which the answer's headers tell too
   * @throws {RequestError} 429
   */
  async chargeRest(ctx: Context, request: RequestContext, price: Price): Promise<RequestContext> {
    const { budget, receivedAtMs } = request;
    const base = basePrice(ctx.path);
    const rest = { requests: price.requests - base.requests, weight: price.weight - base.weight };
    const charges = chargesOf(budget, rest);
    if (charges.length === 0) return request;
    const decision = await this.#parts.rateLimit.charge(charges);
    const limit = rest.requests > 0 ? usageOf(budget, decision) : request.limit;
    setLimitHeaders(ctx, limit);
    if (!decision.isGranted) throw refusalOf(budget, rest, decision, receivedAtMs);
    return { ...request, limit };
  }

  /** Counts the further weight of an answer: it is known only now, and what comes next may find no room. */
  addWeight({ budget }: Pick<Counted, 'budget'>, weight: number): void {
    if (weight > 0) void this.#parts.rateLimit.add(chargesOf(budget, { requests: 0, weight }));
  }

  async #admitKey(ctx: Context, key: KeyRecord, arrival: Arrival): Promise<RequestContext> {
    const { config, keyUsage } = this.#parts;
    keyUsage.note(key.caller.keyId, arrival.receivedAtMs);
    const counted = await this.#count(ctx, budgetOfKey(key.caller, config), arrival);
    const token = (await this.#tokenOf(ctx))?.token;
    return { ...arrival, key, ...(token && { token }), ...counted };
  }

  #admitAddress(ctx: Context, arrival: Arrival): Promise<Counted> {
    return this.#count(ctx, budgetOfAddress(networkOf(ctx), this.#parts.config), arrival);
  }

  async #count(ctx: Context, budget: Budget, arrival: Arrival): Promise<Counted> {
    const price = basePrice(ctx.path);
    const decision = await this.#parts.rateLimit.charge(chargesOf(budget, price));
    const limit = usageOf(budget, decision);
    setLimitHeaders(ctx, limit);
    if (!decision.isGranted) throw refusalOf(budget, price, decision, arrival.receivedAtMs);
    return { budget, limit };
  }
}

const subjectOf = (ctx: Context): string => `address:${networkOf(ctx)}`;

/** Writes a limit into the answer's headers. */
export function setLimitHeaders(ctx: Context, usage: LimitUsage): void {
  for (const [name, value] of Object.entries(limitHeaders(usage))) ctx.res.setHeader(name, value);
}
