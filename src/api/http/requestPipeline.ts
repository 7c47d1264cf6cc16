// The first and last code to handle a request. It gives the request an id, takes the API key out of its path, has it
// admitted, and turns every failure into one form of answer. Keys and tokens are read here and go no further: log
// lines and metrics show the route's template and the key's id, never a path.
import type { Next } from 'koa';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Admission } from '../access/admission.ts';
import { callerOf } from '../access/callerOf.ts';
import { addressOf, networkOf } from '../access/clientAddress.ts';
import { createSeldomLog } from '../access/limits/seldomLog.ts';
import { SlowRefusals } from '../access/limits/slowRefusals.ts';
import type { UnreadAnswers } from '../access/limits/unreadAnswers.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { answerJson } from './answerJson.ts';
import { type BodyReader, discardBody } from './body.ts';
import type { Cors } from './cors.ts';
import { errorBody, toRequestError } from './errorAnswer.ts';
import type { ApiMetrics } from './metrics.ts';
import { requestIds } from './requestIds.ts';
import { readRequestPath } from './requestPath.ts';

/** The exchange that this service emulates; any other is unknown. */
const EXCHANGE = 'perpx';
const TRADING_PATHS: ReadonlySet<string> = new Set([`/v1/exchanges/${EXCHANGE}/info`, `/v1/exchanges/${EXCHANGE}/exchange`]);
/** Where the connection, or a proxy that is believed (PROXY_HOPS), says https: browsers come by https only for a year. */
const HSTS = 'max-age=31536000; includeSubDomains';
/** What a client may choose as the id of its request. */
const REQUEST_ID_FORM = /^[\w.:-]{1,64}$/;
/** Refusals that cost their caller nothing. */
const FREE_REFUSALS: ReadonlySet<string> = new Set(['rate_limited', 'weight_limited']);

export interface RequestPipelineParts {
  readonly log: Logger;
  readonly now: () => number;
  readonly admission: Admission;
  readonly cors: Cors;
  readonly metrics: ApiMetrics;
  readonly readBody: Pick<BodyReader, 'release'>;
  readonly unread: UnreadAnswers;
}

export function createRequestPipeline(parts: RequestPipelineParts): (ctx: RouteContext, next: Next) => Promise<void> {
  const { log, now, admission, cors, metrics, readBody, unread } = parts;
  const nextRequestId = requestIds();
  const logs = { log, seldom: createSeldomLog(log, now) };
  const slow = new SlowRefusals();

  return async (ctx, next) => {
    const startedAt = performance.now();
    // Text of a proxy's header that is no address goes no further.
    ctx.request.ip = addressOf(ctx);
    const given = ctx.req.headers['x-request-id'];
    const arrival = {
      requestId: typeof given === 'string' && REQUEST_ID_FORM.test(given) ? given : nextRequestId(),
      receivedAtMs: now(),
    };
    ctx.res.setHeader('X-Request-Id', arrival.requestId);
    ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
    if (ctx.secure) ctx.res.setHeader('Strict-Transport-Security', HSTS);
    const target = readRequestPath(ctx.req.url ?? '/');
    // Answers on other paths hold keys, tokens and private data.
    if (target !== undefined && !TRADING_PATHS.has(target.path)) ctx.res.setHeader('Cache-Control', 'no-store');
    // From here on the address no longer holds the key.
    ctx.req.url = target === undefined ? '/' : target.path + target.query;
    ctx.originalUrl = ctx.req.url;
    try {
      // Before anything is refused, for a page must be able to read a refusal too.
      const isPreflight = await cors(ctx);
      ctx.state.request = await admission.admit(ctx, target?.key, arrival);
      if (target === undefined) throw new RequestError(400, 'invalid_path', 'The path is not valid percent-encoding.');
      if (target.exchange !== undefined && target.exchange !== EXCHANGE) {
        throw new RequestError(404, 'unknown_exchange', 'There is no such exchange here.');
      }
      if (!isPreflight) {
        await next();
        refuseUnmatched(ctx);
      }
    } catch (error) {
      readBody.release(ctx);
      const refusal = toRequestError(error, logs, arrival.requestId);
      metrics.countError(refusal.code);
      if (!ctx.res.hasHeader('X-RateLimit-Limit')) admission.uncounted(ctx, arrival);
      if (FREE_REFUSALS.has(refusal.code) && !(await slow.turn(networkOf(ctx), ctx.req.socket))) ctx.req.socket.destroy();
      ctx.set(refusal.headers);
      ctx.status = refusal.status;
      answerJson(ctx, errorBody(refusal, { isTrading: target !== undefined && TRADING_PATHS.has(target.path) }));
    }
    readBody.release(ctx);
    // Of a body that no endpoint reads, Node itself would read on for as long as the client sends.
    if (ctx.respond !== false) await discardBody(ctx.req);
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    if (ctx.respond !== false) unread.hold(ctx.res, callerOf(ctx).subject, ctx.response.length ?? 0);
    const ms = performance.now() - startedAt;
    const request = { method: ctx.method, route: routeOf(ctx), status: ctx.status };
    metrics.observe(request, ms / 1000);
    if (log.isLevelEnabled('debug')) {
      log.debug({ requestId: arrival.requestId, keyId: ctx.state.request?.key?.caller.keyId, ...request, ms }, 'request');
    }
  };
}

/** @throws {RequestError} 404 or 405 when no route has answered */
function refuseUnmatched(ctx: RouteContext): void {
  if (ctx.routeMatched) return;
  const methods = new Set((ctx.matched ?? []).flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new RequestError(404, 'not_found', 'There is nothing at this path.');
  const allow = [...methods].join(', ');
  throw new RequestError(405, 'method_not_allowed', `This path answers ${allow} only.`, { Allow: allow });
}

/** The template of the route that matched: `/v1/exchanges/:exchange/info`. */
function routeOf(ctx: RouteContext): string {
  const route = ctx._matchedRoute;
  return typeof route === 'string' ? route : 'none';
}
