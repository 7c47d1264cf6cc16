// `info` and `exchange` over HTTP: a valid key, an account that may trade, a JSON body; then the endpoint's own code,
// which does not depend on HTTP.
import { createHash } from 'node:crypto';
import type Router from '@koa/router';
import { graceMsOf } from '../shared/subscription.ts';
import type { Admission } from './access/admission.ts';
import type { KeyRecord } from './access/credentials.ts';
import { type RequestContext, type RouteContext, requireKey } from './access/requestContext.ts';
import { requirePaid } from './access/requirePaid.ts';
import type { AccountAnswers } from './accounts/accountAnswers.ts';
import { idempotencyKeyOf } from './accounts/idempotencyKey.ts';
import type { Call, LimitUsage, Services } from './accounts/services.ts';
import { tellMoment } from './accounts/tellMoment.ts';
import { type Price, priceOfAction, priceOfInfo, weightOfRows } from './domain/requestPrice.ts';
import { runAction } from './exchange/runAction.ts';
import { answerJson } from './http/answerJson.ts';
import type { BodyReader } from './http/body.ts';
import { answerInfo } from './info/answerInfo.ts';

interface Endpoint {
  readonly name: 'info' | 'exchange';
  readonly priceOf: (body: unknown, bytes: number) => Price;
  readonly answer: (body: unknown, call: Call, services: Services) => Promise<unknown>;
}

const ENDPOINTS: readonly Endpoint[] = [
  { name: 'info', priceOf: priceOfInfo, answer: answerInfo },
  { name: 'exchange', priceOf: priceOfAction, answer: runAction },
];

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

export function mountTrading(router: Router<{ request: RequestContext }>, parts: TradingParts): void {
  const { services, answers, readBody, admission } = parts;
  const graceMs = graceMsOf(services.config);
  for (const { name, priceOf, answer } of ENDPOINTS) {
    router.post(`/v1/exchanges/:exchange/${name}`, async (ctx) => {
      const { market, config } = services;
      ctx.res.setHeader('X-Market-Source', market.status?.source ?? config.MARKET_SOURCE);
      const key = requireKey(ctx);
      requirePaid({ ...key, graceMs }, ctx.state.request.receivedAtMs);
      const { body, bytes } = await readBody.sized(ctx);
      ctx.state.request = await admission.chargeRest(ctx, ctx.state.request, priceOf(body, bytes));
      const call = toCall(ctx, key, body);
      const { data: answered, first } = await answers.read((reading) => answer(body, call, reading), { withHash: false });
      tellMoment(ctx, first);
      admission.addWeight(ctx.state.request, weightOfRows(body, answered));
      answerJson(ctx, answered);
    });
  }
}

function toCall(ctx: RouteContext, { caller }: KeyRecord, body: unknown): CountedCall {
  const { requestId, receivedAtMs, limit } = ctx.state.request;
  const idempotencyKey = idempotencyKeyOf(ctx);
  if (idempotencyKey === undefined) return { caller, requestId, receivedAtMs, limit };
  return { caller, requestId, receivedAtMs, limit, idempotencyKey, bodyDigest: digestOfBody(body) };
}

/**
 * The digest of what a body asks for. It leaves out `nonce` and `signature`: clients make new ones when they repeat a request,
 * and they are not checked here.
 */
function digestOfBody(body: unknown): string {
  const { nonce: _nonce, signature: _signature, ...asked } = body as Record<string, unknown>;
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}
