// Who asks, and whether they may ask again this minute. A request counts on its API key; without a key on the user of
// its access token; else on its address. A token beside a valid key is read too, for endpoints that want one. A key that
// is unknown, over, or used from an address that it may not be used from counts on the address, and so does a token that is
// no longer in force. What the stores have to be asked for is bounded by address (lookUps.ts).
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import { RequestError } from '../../shared/errors.ts';
import type { PathPrices, Price } from '../domain/requestPrice.ts';
import type { AccessTokens, TokenClaims } from './accessTokens.ts';
import { type Budget, budgetOfAddress, budgetOfKey, budgetOfToken, chargesOf, refusalOf, usageOf } from './budget.ts';
import type { Credentials } from './credentials.ts';
import { isAllowedFrom, isOver, type KeyRecord } from './keyRecord.ts';
import type { KeyUsage } from './lastUses.ts';
import type { ChargeDecision } from './limits/charge.ts';
import type { RateLimit } from './limits/rateLimit.ts';
import { LookUps } from './lookUps.ts';
import { addressOf, networkOf, type RequestContext, type RequestState, tellLimit, unusedLimit } from './requestContext.ts';

const BEARER = /^Bearer +(\S+)$/i;
/** Where an API key may come as a bearer token, and what tells it from one. */
const TOOLS_PATH = '/mcp';
const KEY_BEGINS = 'pe_';

export interface AdmissionParts {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly keyUsage: KeyUsage;
  readonly rateLimit: RateLimit;
  readonly prices: PathPrices;
}

/** Clients of tools have one field for a secret, and send it as a token. */
function bearerKey({ req, state }: Context): string | undefined {
  if ((state as RequestState).path !== TOOLS_PATH) return undefined;
  const bearer = BEARER.exec(req.headers.authorization ?? '')?.[1];
  return bearer?.startsWith(KEY_BEGINS) ? bearer : undefined;
}

/** Where a request counts, and the limit after it. */
type Counted = Pick<RequestContext, 'budget' | 'limit'>;

type Arrival = Pick<RequestContext, 'requestId' | 'receivedAtMs' | 'trace'>;

export class Admission {
  readonly #parts: AdmissionParts;
  readonly #lookUps: LookUps;
  readonly #budgets = new WeakMap<KeyRecord, Budget>();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#lookUps = new LookUps(parts.rateLimit);
  }

  /**
   * Counts the request and keeps the limit for the answer's headers. A promise only where something has to be waited for.
   * @param pathKey the API key in the path; a header's counts where both are given, for an address is shared more easily
   * @throws {RequestError} 429, or 503 when no store can tell whose key it is
   */
  admit(ctx: Context, pathKey: string | undefined, arrival: Arrival): Promise<RequestContext> | RequestContext {
    const { 'x-api-key': headerKey } = ctx.req.headers;
    const apiKey = typeof headerKey === 'string' ? headerKey : (pathKey ?? bearerKey(ctx));
    return apiKey === undefined ? this.#admitWithoutKey(ctx, arrival) : this.#admitByKey(ctx, apiKey, arrival);
  }

  async #admitWithoutKey(ctx: Context, arrival: Arrival): Promise<RequestContext> {
    const token = await this.#readToken(ctx);
    return token === undefined ? this.#admitStranger(ctx, arrival) : this.#admitByToken(ctx, token, arrival);
  }

  #admitByKey(ctx: Context, apiKey: string, arrival: Arrival): Promise<RequestContext> | RequestContext {
    const { credentials } = this.#parts;
    const known = credentials.findCached(apiKey);
    if (known !== undefined) return this.#admitKey(ctx, known, arrival);
    return this.#withLookUp(ctx, arrival, async (mayAsk) => {
      const found = mayAsk ? await credentials.lookUp(apiKey) : undefined;
      return found && this.#admitKey(ctx, found, arrival);
    });
  }

  #admitByToken(ctx: Context, token: TokenClaims, arrival: Arrival): Promise<RequestContext> {
    const { credentials } = this.#parts;
    const admit = async (holder: KeyRecord | undefined): Promise<RequestContext | undefined> =>
      holder && { ...arrival, token, holder, ...(await this.#count(ctx, this.#budgetOf(holder), arrival)) };
    const known = credentials.tokenOwners.findCached(token);
    if (known !== undefined) return admit(known.record).then((admitted) => admitted ?? this.#admitStranger(ctx, arrival));
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
    tellLimit(ctx, limit);
    return { budget: budgetOfAddress(networkOf(ctx), config), limit };
  }

  /**
   * Counts a request that came over a socket of the key.
   * @throws {RequestError} 429
   */
  async admitPost(key: KeyRecord, price: Price, receivedAtMs: number): Promise<Counted> {
    if (key.caller.keyId !== '') this.#parts.keyUsage.note(key.caller.keyId, receivedAtMs);
    const budget = this.#budgetOf(key);
    const decision = await this.#parts.rateLimit.charge(chargesOf(budget, price));
    if (!decision.isGranted) throw refusalOf(budget, price, decision, receivedAtMs);
    return { budget, limit: usageOf(budget, decision) };
  }

  /**
   * Counts what a subscription of the key begins with.
   * @throws {RequestError} 429
   */
  async admitSubscription(key: KeyRecord, weight: number, receivedAtMs: number): Promise<void> {
    const budget = this.#budgetOf(key);
    const price = { requests: 0, weight };
    const decision = await this.#parts.rateLimit.charge(chargesOf(budget, price));
    if (!decision.isGranted) throw refusalOf(budget, price, decision, receivedAtMs);
  }

  /** Counts what a subscription of the key has read beyond that. */
  async addToSubscription(key: KeyRecord, weight: number): Promise<void> {
    await this.#parts.rateLimit.add(chargesOf(this.#budgetOf(key), { requests: 0, weight }));
  }

  /** Whether the key has weight left, as far as this node knows. */
  hasWeightLeft(key: KeyRecord): boolean {
    const { rateLimit } = this.#parts;
    const charges = chargesOf(this.#budgetOf(key), { requests: 0, weight: 1 });
    return !charges.some(({ subject, cap }) => rateLimit.isAtLimit(subject, cap));
  }

  /**
   * Counts what an admitted request costs beyond the least that it was admitted for, now that its body is known.
   * @returns the request with its limit, which the answer's headers tell too
   * @throws {RequestError} 429
   */
  chargeRest(ctx: Context, request: RequestContext, price: Price): Promise<RequestContext> | RequestContext {
    const base = this.#parts.prices((ctx.state as RequestState).path);
    const rest = { requests: price.requests - base.requests, weight: price.weight - base.weight };
    return rest.requests === 0 && rest.weight === 0 ? request : this.#charge(ctx, request, rest);
  }

  async #charge(ctx: Context, request: RequestContext, rest: Price): Promise<RequestContext> {
    const { budget, receivedAtMs } = request;
    const charges = chargesOf(budget, rest);
    const decision = await this.#parts.rateLimit.charge(charges);
    const limit = rest.requests > 0 ? usageOf(budget, decision) : request.limit;
    tellLimit(ctx, limit);
    if (!decision.isGranted) throw refusalOf(budget, rest, decision, receivedAtMs);
    return { ...request, limit };
  }

  /** Counts the further weight of an answer: it is known only now, and what comes next may find no room. */
  addWeight({ budget }: Pick<Counted, 'budget'>, weight: number): void {
    if (weight > 0) void this.#parts.rateLimit.add(chargesOf(budget, { requests: 0, weight }));
  }

  #admitKey(ctx: Context, key: KeyRecord, arrival: Arrival): Promise<RequestContext> | RequestContext {
    const { requestId, receivedAtMs, trace } = arrival;
    if (isOver(key, receivedAtMs)) return this.#admitStranger(ctx, arrival);
    // A key that was stolen must not use up the requests of its owner.
    if (key.addresses !== undefined && !isAllowedFrom(key, addressOf(ctx))) return this.#admitElsewhere(ctx, arrival);
    this.#parts.keyUsage.note(key.caller.keyId, receivedAtMs);
    const counted = this.#count(ctx, this.#budgetOf(key), arrival);
    if (!(counted instanceof Promise) && ctx.req.headers.authorization === undefined) {
      return { requestId, receivedAtMs, trace, key, limit: counted.limit, budget: counted.budget };
    }
    return this.#admitCounted(ctx, key, arrival, counted);
  }

  async #admitCounted(
    ctx: Context,
    key: KeyRecord,
    arrival: Arrival,
    counting: Promise<Counted> | Counted,
  ): Promise<RequestContext> {
    const { limit, budget } = await counting;
    const token = await this.#tokenBeside(ctx);
    return { ...arrival, key, ...(token && { token }), limit, budget };
  }

  async #admitElsewhere(ctx: Context, arrival: Arrival): Promise<RequestContext> {
    return { ...(await this.#admitStranger(ctx, arrival)), isKeyElsewhere: true };
  }

  /** A record never changes: a user or key that does has a new one. */
  #budgetOf(key: KeyRecord): Budget {
    let budget = this.#budgets.get(key);
    if (budget === undefined) {
      const { config } = this.#parts;
      budget = key.caller.keyId === '' ? budgetOfToken(key.caller, config) : budgetOfKey(key.caller, config);
      this.#budgets.set(key, budget);
    }
    return budget;
  }

  /** The access token beside a key, while it is in force; the request has been counted on the key. */
  async #tokenBeside(ctx: Context): Promise<TokenClaims | undefined> {
    if (ctx.req.headers.authorization === undefined) return undefined;
    const { tokenOwners } = this.#parts.credentials;
    const token = await this.#readToken(ctx);
    const known = token && tokenOwners.findCached(token);
    const owner = token && (known === undefined ? await tokenOwners.lookUp(token) : known.record);
    return owner && token;
  }

  async #admitAddress(ctx: Context, arrival: Arrival): Promise<Counted> {
    return this.#count(ctx, budgetOfAddress(networkOf(ctx), this.#parts.config), arrival);
  }

  #count(ctx: Context, budget: Budget, arrival: Arrival): Promise<Counted> | Counted {
    const { prices, rateLimit } = this.#parts;
    const price = prices((ctx.state as RequestState).path);
    const decision = rateLimit.charge(chargesOf(budget, price));
    const onDecision = (decided: ChargeDecision): Counted => {
      const limit = usageOf(budget, decided);
      tellLimit(ctx, limit);
      if (!decided.isGranted) throw refusalOf(budget, price, decided, arrival.receivedAtMs);
      return { budget, limit };
    };
    return decision instanceof Promise ? decision.then(onDecision) : onDecision(decision);
  }
}
