// Who asks, and whether they may ask again this minute. A request counts on its API key; without a key on the user of
// its access token; else on its address. A token beside a valid key is read too, for endpoints that want one. A key that
// is unknown, over, or used from an address that it may not be used from counts on the address, and so does a token that is
// no longer in force. What the stores have to be asked for is bounded by address (lookUps.ts).
import type { Context } from 'koa';
import type { Config } from '../../shared/config.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import type { LimitUsage } from '../accounts/services.ts';
import { basePrice, type Price } from '../domain/requestPrice.ts';
import type { AccessTokens, TokenClaims } from './accessTokens.ts';
import { addressOf, networkOf } from './clientAddress.ts';
import type { Credentials, KeyRecord } from './credentials.ts';
import { isAllowedFrom, isOver } from './keys/keyLimits.ts';
import { type Budget, budgetOfAddress, budgetOfKey, budgetOfToken, chargesOf, refusalOf, usageOf } from './limits/budget.ts';
import { LookUps } from './limits/lookUps.ts';
import type { RateLimit } from './rateLimit.ts';
import type { RequestContext } from './requestContext.ts';
import type { KeyUsage } from './usage/keyUsage.ts';

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
  readonly #lookUps: LookUps;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#lookUps = new LookUps(parts.rateLimit);
  }

  /**
   * Counts the request and tells the limit in the answer's headers.
   * @param pathKey the API key in the path; a header's counts where both are given, for an address is shared more easily
   * @throws {RequestError} 429, or 503 when no store can tell whose key it is
   */
  async admit(ctx: Context, pathKey: string | undefined, arrival: Arrival): Promise<RequestContext> {
    const { 'x-api-key': headerKey } = ctx.req.headers;
    const apiKey = typeof headerKey === 'string' ? headerKey : pathKey;
    if (apiKey !== undefined) return this.#admitByKey(ctx, apiKey, arrival);
    const token = await this.#readToken(ctx);
    return token === undefined ? this.#admitStranger(ctx, arrival) : this.#admitByToken(ctx, token, arrival);
  }

  #admitByKey(ctx: Context, apiKey: string, arrival: Arrival): Promise<RequestContext> {
    const { credentials } = this.#parts;
    const known = credentials.findCached(apiKey);
    if (known !== undefined) return this.#admitKey(ctx, known, arrival);
    return this.#withLookUp(ctx, arrival, async (mayAsk) => {
      const found = mayAsk ? await credentials.lookUp(apiKey) : undefined;
      return found && this.#admitKey(ctx, found, arrival);
    });
  }

  #admitByToken(ctx: Context, token: TokenClaims, arrival: Arrival): Promise<RequestContext> {
    const { credentials, config } = this.#parts;
    const admit = async (plan: Plan | undefined): Promise<RequestContext | undefined> =>
      plan && { ...arrival, token, ...(await this.#count(ctx, budgetOfToken(token.userId, plan, config), arrival)) };
    const known = credentials.tokenOwners.findCached(token);
    if (known !== undefined) return admit(known.plan).then((admitted) => admitted ?? this.#admitStranger(ctx, arrival));
    return this.#withLookUp(ctx, arrival, async (mayAsk) =>
      admit(mayAsk ? await credentials.tokenOwners.lookUp(token) : undefined),
    );
  }

  /**
   * Admits a request whose key or token has to be looked up. It counts on the address when that is for nothing.
   * @param look undefined when there is no such key or token, or the stores may not be asked
   */
  #withLookUp(
    ctx: Context,
    arrival: Arrival,
    look: (mayAsk: boolean) => Promise<RequestContext | undefined>,
  ): Promise<RequestContext> {
    const [{ subject, requests: cap }] = budgetOfAddress(networkOf(ctx), this.#parts.config);
    return this.#lookUps.run({ subject, cap, nowMs: arrival.receivedAtMs }, async (mayAsk) => {
      try {
        return (await look(mayAsk)) ?? (await this.#admitStranger(ctx, arrival));
      } catch (error) {
        const isCounted = error instanceof RequestError && error.status === 429;
        if (!isCounted) await this.#admitAddress(ctx, arrival);
        throw error;
      }
    });
  }

  async #admitStranger(ctx: Context, arrival: Arrival): Promise<RequestContext> {
    return { ...arrival, ...(await this.#admitAddress(ctx, arrival)) };
  }

  /** The access token that came along, if it is ours and its time is not over. */
  async #readToken({ req }: Context): Promise<TokenClaims | undefined> {
    const bearer = BEARER.exec(req.headers.authorization ?? '')?.[1];
    return bearer === undefined ? undefined : this.#parts.tokens.read(bearer);
  }

  /** The limit of a request that is not counted. */
  uncounted(ctx: Context, arrival: Arrival): Counted {
    const { config } = this.#parts;
    const limit = unusedLimit(config, arrival.receivedAtMs);
    setLimitHeaders(ctx, limit);
    return { budget: budgetOfAddress(networkOf(ctx), config), limit };
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
   * Counts what a subscription of the key begins with.
   * @throws {RequestError} 429
   */
  async admitSubscription({ caller }: KeyRecord, weight: number, receivedAtMs: number): Promise<void> {
    const budget = budgetOfKey(caller, this.#parts.config);
    const price = { requests: 0, weight };
    const decision = await this.#parts.rateLimit.charge(chargesOf(budget, price));
    if (!decision.isGranted) throw refusalOf(budget, price, decision, receivedAtMs);
  }

  /** Counts what a subscription of the key has read beyond that. */
  async addToSubscription({ caller }: KeyRecord, weight: number): Promise<void> {
    await this.#parts.rateLimit.add(chargesOf(budgetOfKey(caller, this.#parts.config), { requests: 0, weight }));
  }

  /** Whether the key has weight left, as far as this node knows. */
  hasWeightLeft({ caller }: KeyRecord): boolean {
    const { rateLimit, config } = this.#parts;
    const charges = chargesOf(budgetOfKey(caller, config), { requests: 0, weight: 1 });
    return !charges.some(({ subject, cap }) => rateLimit.isAtLimit(subject, cap));
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
    if (isOver(key, arrival.receivedAtMs)) return this.#admitStranger(ctx, arrival);
    // A key that was stolen must not use up the requests of its owner.
    if (!isAllowedFrom(key, addressOf(ctx))) return { ...(await this.#admitStranger(ctx, arrival)), isKeyElsewhere: true };
    keyUsage.note(key.caller.keyId, arrival.receivedAtMs);
    const counted = await this.#count(ctx, budgetOfKey(key.caller, config), arrival);
    const token = await this.#tokenBeside(ctx);
    return { ...arrival, key, ...(token && { token }), ...counted };
  }

  /** The access token beside a key, while it is in force; the request has been counted on the key. */
  async #tokenBeside(ctx: Context): Promise<TokenClaims | undefined> {
    const { tokenOwners } = this.#parts.credentials;
    const token = await this.#readToken(ctx);
    const known = token && tokenOwners.findCached(token);
    const plan = token && (known === undefined ? await tokenOwners.lookUp(token) : known.plan);
    return plan && token;
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

/** Writes a limit into the answer's headers. */
export function setLimitHeaders(ctx: Context, usage: LimitUsage): void {
  for (const [name, value] of Object.entries(limitHeaders(usage))) ctx.res.setHeader(name, value);
}
