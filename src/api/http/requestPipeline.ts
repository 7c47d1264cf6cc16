// The first and last code to handle a request. It gives the request an id, takes the API key out of its path, has it
// admitted, and turns every failure into one form of answer. Keys and tokens are read here and go no further: log
// lines and metrics show the route's template and the key's id, never a path.
import type { Next } from 'koa';
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import { readTraceparent, type Span, type SpanFields, type Tracing } from '../../shared/tracing/tracing.ts';
import type { Admission } from '../access/admission.ts';
import type { UnreadAnswers } from '../access/limits/heldBytes.ts';
import { createSeldomLog } from '../access/limits/seldomLog.ts';
import { SlowRefusals } from '../access/limits/slowRefusals.ts';
import {
  addressOf,
  addressOfPeer,
  callerOf,
  limitHeaders,
  networkOf,
  type RouteContext,
  requestIds,
} from '../access/requestContext.ts';
import {
  answerJson,
  answerWhole,
  DOCUMENTATION,
  DrawnRefusal,
  errorBody,
  namesOf,
  nothingHere,
  toRequestError,
} from './answers.ts';
import { type BodyReader, discardBody } from './body.ts';
import { type Cors, isPageVisit, takeSocketToken } from './browser.ts';
import type { ApiMetrics } from './metrics.ts';
import { EXCHANGE, readRequestPath, tradingPath } from './requestPath.ts';
import type { StaticFile } from './staticFile.ts';

const TRADING_PATHS: ReadonlySet<string> = new Set([tradingPath('info'), tradingPath('exchange')]);
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
  /** Absent: no page may call. */
  readonly cors?: Cors | undefined;
  readonly metrics: ApiMetrics;
  readonly readBody: Pick<BodyReader, 'release'>;
  readonly unread: UnreadAnswers;
  readonly tracing: Pick<Tracing, 'request'>;
  /** What a browser is shown at an address that leads nowhere; absent: it gets what programs get. */
  readonly notFoundPage?: StaticFile | undefined;
}

export function createRequestPipeline(parts: RequestPipelineParts): (ctx: RouteContext, next: Next) => Promise<void> {
  const { log, now, admission, cors, metrics, readBody, unread, tracing, notFoundPage } = parts;
  const nextRequestId = requestIds();
  const logs = { log, seldom: createSeldomLog(log, now) };
  const slow = new SlowRefusals();

  return async (ctx, next) => {
    const startedAt = performance.now();
    // Text of a proxy's header that is no address goes no further.
    ctx.request.ip = ctx.app.proxy ? addressOf(ctx) : addressOfPeer(ctx.req);
    const { 'x-request-id': given, traceparent } = ctx.req.headers;
    const sent = traceparent === undefined ? undefined : readTraceparent(traceparent);
    const arrival = {
      requestId: typeof given === 'string' && REQUEST_ID_FORM.test(given) ? given : (sent?.traceId ?? nextRequestId()),
      receivedAtMs: now(),
      trace: tracing.request(sent),
    };
    const { trace } = arrival;
    const target = readRequestPath(ctx.req.url ?? '/');
    const path = target?.path ?? '/';
    if (path.endsWith('/ws')) takeSocketToken(ctx.req);
    const isTrading = TRADING_PATHS.has(path);
    ctx.state.path = path;
    const headers = ['X-Request-Id', arrival.requestId, 'X-Content-Type-Options', 'nosniff'];
    if (ctx.request.secure) headers.push('Strict-Transport-Security', HSTS);
    // Answers on other paths hold keys, tokens and private data.
    if (!isTrading) headers.push('Cache-Control', 'no-store');
    if (!isTrading) setHeaders(ctx, headers);
    // From here on the address no longer holds the key.
    ctx.req.url = target === undefined || target.query === '' ? path : path + target.query;
    ctx.originalUrl = ctx.req.url;
    let errorCode: string | undefined;
    try {
      // Before anything is refused, for a page must be able to read a refusal too.
      const isPreflight = cors !== undefined && (await cors(ctx));
      const admitted = admission.admit(ctx, target?.key, arrival);
      ctx.state.request = admitted instanceof Promise ? await admitted : admitted;
      if (target === undefined) throw new RequestError(400, 'invalid_path', 'The path is not valid percent-encoding.');
      if (target.exchange !== undefined && target.exchange !== EXCHANGE) {
        throw new RequestError(404, 'unknown_exchange', `The exchange here is ${EXCHANGE}. ${DOCUMENTATION}`);
      }
      if (!isPreflight) {
        await next();
        refuseUnmatched(ctx);
      }
    } catch (error) {
      readBody.release(ctx);
      const { isDrawn } = ctx.state;
      const refusal = error instanceof DrawnRefusal ? error : toRequestError(error, logs, namesOf(arrival.requestId, trace));
      errorCode = refusal.code;
      if (!isDrawn) metrics.countError(refusal.code);
      if (ctx.state.limit === undefined) admission.uncounted(ctx, arrival);
      if (!isDrawn && FREE_REFUSALS.has(refusal.code) && !(await slow.turn(networkOf(ctx), ctx.req.socket)))
        ctx.req.socket.destroy();
      ctx.set(refusal.headers);
      ctx.status = refusal.status;
      const isNowhere = refusal.status === 404 && !ctx.routeMatched;
      if (isNowhere && notFoundPage !== undefined && isPageVisit(ctx)) await notFoundPage.answer(ctx, { status: 404 });
      else answerJson(ctx, errorBody(refusal, { isTrading }));
      delete ctx.state.text;
    }
    readBody.release(ctx);
    const { limit, text, headers: own } = ctx.state;
    if (text !== undefined) {
      if (own !== undefined) headers.push(...own);
      if (limit !== undefined) headers.push(...limitHeaders(limit));
      answerWhole(ctx, text, headers);
      const unsent = ctx.res.writableLength;
      if (unsent > 0) unread.hold(ctx.res, callerOf(ctx).subject, unsent);
    } else if (ctx.respond !== false) {
      if (isTrading) setHeaders(ctx, headers);
      if (own !== undefined) setHeaders(ctx, own);
      if (limit !== undefined) setHeaders(ctx, limitHeaders(limit));
      // Of a body that no endpoint reads, Node itself would read on for as long as the client sends.
      await discardBody(ctx.req);
      if (!ctx.req.complete) ctx.set('Connection', 'close');
      unread.hold(ctx.res, callerOf(ctx).subject, ctx.response.length ?? 0);
    }
    const ms = performance.now() - startedAt;
    const request = { method: ctx.req.method ?? '', route: routeOf(ctx), status: ctx.res.statusCode };
    // What a failure lab has drawn is no failure of the service.
    if (!ctx.state.isDrawn) metrics.observe(request, ms / 1000, trace?.traceId);
    if (trace !== undefined) endTrace(trace, { requestId: arrival.requestId, ...idsOf(ctx), ...request }, errorCode);
    if (log.isLevelEnabled('debug')) {
      log.debug({ ...namesOf(arrival.requestId, trace), keyId: ctx.state.request?.key?.caller.keyId, ...request, ms }, 'request');
    }
  };
}

/** A trace is named by the route's template: the path may hold a key. */
function endTrace(
  trace: Span,
  fields: SpanFields & { readonly method: string; readonly route: string },
  errorCode?: string,
): void {
  const { method, route, status = 0 } = fields;
  trace.end({ name: `${method} ${route}`, fields, error: status >= 500 ? errorCode : undefined });
}

function idsOf(ctx: RouteContext): Pick<SpanFields, 'keyId' | 'accountId'> {
  const caller = ctx.state.request?.key?.caller;
  return caller === undefined ? {} : { keyId: caller.keyId, accountId: caller.accountId };
}

/** @param headers names and values in turn */
function setHeaders(ctx: RouteContext, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) ctx.res.setHeader(headers[i] as string, headers[i + 1] as string);
}

/** @throws {RequestError} 404 or 405 when no route has answered */
function refuseUnmatched(ctx: RouteContext): void {
  if (ctx.routeMatched) return;
  const methods = new Set((ctx.matched ?? []).flatMap((layer) => layer.methods));
  if (methods.size === 0) throw nothingHere();
  const allow = [...methods].join(', ');
  throw new RequestError(405, 'method_not_allowed', `This path answers ${allow} only.`, { Allow: allow });
}

/** The template of the route that matched: `/v1/exchanges/:exchange/info`. */
function routeOf(ctx: RouteContext): string {
  const route = ctx._matchedRoute;
  return typeof route === 'string' ? route : 'none';
}
