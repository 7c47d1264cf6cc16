// `info` and `exchange` over HTTP: a valid key or else a token, an account that may trade, a JSON body; then the endpoint's own code,
// which does not depend on HTTP.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import type { Next } from 'koa';
import { graceMsOf } from '../../shared/access/subscription.ts';
import type { KeyScope } from '../../shared/mongo/keyStore.ts';
import type { Admission } from '../access/admission.ts';
import { requireKeyAccess, requirePaid, requireTrader } from '../access/callerChecks.ts';
import type { KeyRecord } from '../access/keyRecord.ts';
import type { LimitUsage } from '../access/limits/charge.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { type AccountAnswers, type Moment, tellMoment } from '../accounts/accountAnswers.ts';
import type { Call, Services } from '../accounts/services.ts';
import type { Price } from '../domain/requestPrice.ts';
import { toJson } from '../domain/wireText.ts';
import { DrawnRefusal, WithheldAnswer } from '../http/answers.ts';
import type { BodyReader } from '../http/body.ts';
import { idempotencyKeyOf } from '../http/idempotency.ts';
import { tradingPath } from '../http/requestPath.ts';

interface TradingEndpoint {
  readonly name: 'info' | 'exchange';
  readonly scope: KeyScope;
  readonly priceOf: (body: unknown, bytes: number) => Price;
  readonly answer: (body: unknown, call: Call, services: Services, reading: Reading) => Promise<unknown>;
  /** The further weight of a long answer. */
  readonly weightOf?: (body: unknown, data: unknown) => number;
}

interface Reading extends Pick<TradingParts, 'answers'> {
  /** Takes the state of the account that the answer shows, where the account was asked. */
  readonly tell: (first: Moment) => void;
}

type Middleware = (ctx: RouteContext, next: Next) => Promise<void>;
type TradingHandler = (ctx: RouteContext) => Promise<void>;

export interface TradingParts {
  readonly services: Services;
  readonly answers: Pick<AccountAnswers, 'read'>;
  readonly readBody: BodyReader;
  readonly admission: Admission;
}

/** A call with the limit that the request pipeline counted it on. */
export interface CountedCall extends Call {
  readonly limit: LimitUsage;
}

/** The answer of `services.limits.usage` about a call made here. */
export const usageOf = (call: Call): LimitUsage => (call as CountedCall).limit;

/** A middleware that answers `info` and `exchange` before any route is looked for: these are nearly all requests. */
export function answerTrading(answers: Readonly<Record<TradingEndpoint['name'], TradingHandler>>): Middleware {
  const byPath = new Map(
    (['info', 'exchange'] as const).map((name) => [
      tradingPath(name),
      { template: `/v1/exchanges/:exchange/${name}`, answer: answers[name] },
    ]),
  );
  return (ctx, next) => {
    const endpoint = ctx.req.method === 'POST' ? byPath.get(ctx.state.path ?? '') : undefined;
    if (endpoint === undefined) return next();
    ctx.routeMatched = true;
    ctx._matchedRoute = endpoint.template;
    return endpoint.answer(ctx);
  };
}

/** What answers requests to an endpoint that trades or tells. The scope is asked for after the header of prices, which a refusal has too. */
export const answering =
  ({ name, scope, priceOf, answer, weightOf }: TradingEndpoint) =>
  (parts: TradingParts): TradingHandler => {
    const { services, answers, readBody, admission } = parts;
    const { market, config } = services;
    const graceMs = graceMsOf(config);
    return async (ctx) => {
      ctx.state.headers = ['X-Market-Source', market.status?.source ?? config.MARKET_SOURCE];
      requireKeyAccess(ctx, scope);
      const trader = requireTrader(ctx);
      const { trialExpiresAtMs, subscriptionExpiresAtMs } = trader;
      requirePaid({ trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }, ctx.state.request.receivedAtMs);
      const { body, bytes } = await readBody.sized(ctx);
      const charged = admission.chargeRest(ctx, ctx.state.request, priceOf(body, bytes));
      if (charged instanceof Promise) ctx.state.request = await charged;
      const call = toCall(ctx, trader, body);
      const asked = (made: Call) => answer(body, made, services, { answers, tell: (first) => tellMoment(ctx, first) });
      const { lab: profile } = trader;
      const data =
        profile === undefined
          ? await asked(call)
          : await services.lab.run(call, { profile, on: name, closing: ctx.req.socket }, asked).catch(ended(ctx));
      if (data === NO_ANSWER) return;
      if (weightOf !== undefined) admission.addWeight(ctx.state.request, weightOf(body, data));
      ctx.state.text = toJson(data);
    };
  };

const NO_ANSWER = Symbol('no answer');

/** A request of a failure lab that gets no answer ends with its connection. @throws what else it has met */
const ended =
  (ctx: RouteContext) =>
  (error: unknown): typeof NO_ANSWER => {
    if (error instanceof DrawnRefusal || error instanceof WithheldAnswer) ctx.state.isDrawn = true;
    if (!(error instanceof WithheldAnswer)) throw error;
    ctx.respond = false;
    // Koa begins with a 404, and logs and traces tell the status.
    ctx.res.statusCode = 0;
    ctx.req.socket.destroy();
    return NO_ANSWER;
  };

/** @param body of `info` or `exchange`, as it would come there */
export function toCall(ctx: RouteContext, { caller }: KeyRecord, body: unknown): CountedCall {
  const { requestId, trace, receivedAtMs, limit } = ctx.state.request;
  const idempotencyKey = idempotencyKeyOf(ctx);
  if (idempotencyKey === undefined) return { caller, requestId, trace, receivedAtMs, limit };
  return { caller, requestId, trace, receivedAtMs, limit, idempotencyKey, bodyDigest: digestOfBody(body) };
}

/**
 * The digest of what a body asks for. It leaves out `nonce` and `signature`: clients make new ones when they repeat a request,
 * and they are not checked here.
 */
function digestOfBody(body: unknown): string {
  const { nonce: _nonce, signature: _signature, ...asked } = body as Record<string, unknown>;
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The usual spellings of the endpoints' paths, with a key in them or without; others take Koa's way. */
const TRADING_TARGET = /^\/v1\/exchanges\/perpx\/(?:key\/[^/?#%]+\/)?(?:info|exchange)$/;

/**
 * The way of a POST to `info` or `exchange`, which is what bots send all day: with Koa's context through the same pipeline to the
 * same endpoints as every other request, but without what Koa does around its middleware: it composes it, and listens for the end
 * of each answer to tell of a connection that broke.
 * @param app answers all other requests
 * @param pipeline never throws, and leaves to Koa, or to the code here, only answers that it did not write itself
 */
export function withTradingWay(
  app: Koa,
  pipeline: (ctx: RouteContext, next: Next) => Promise<void>,
  trading: (ctx: RouteContext, next: Next) => Promise<void>,
): RequestHandler {
  const others = app.callback();
  const none = async (): Promise<void> => undefined;
  return async (request, response) => {
    if (request.method !== 'POST' || !TRADING_TARGET.test(request.url ?? '')) return others(request, response);
    const ctx = app.createContext(request, response) as unknown as RouteContext;
    try {
      await pipeline(ctx, () => trading(ctx, none));
      if (ctx.respond === false) return;
      if (ctx.writable) response.end(ctx.body);
      else response.end();
    } catch (error) {
      ctx.onerror(error as Error);
    }
  };
}
