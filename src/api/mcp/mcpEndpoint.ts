// POST /mcp: the exchange as tools of the Model Context Protocol, for programs that decide by themselves. One JSON message a request, one
// JSON answer. A key is asked for as everywhere, its scopes say which tools there are, and each request counts as the question or
// action that it carries would.

import { Type } from '@sinclair/typebox';
import { graceMsOf } from '../../shared/access/subscription.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Admission } from '../access/admission.ts';
import { requirePaid, requireTrader } from '../access/callerChecks.ts';
import { hasScope } from '../access/keyRecord.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { described, named } from '../contract/named.ts';
import { mayNot } from '../contract/whoMay.ts';
import { CHEAP, HEAVIEST, type Price } from '../domain/requestPrice.ts';
import { priceOfAction } from '../exchange/runAction.ts';
import { endpoint } from '../http/endpoint.ts';
import { compileReader } from '../http/requestReader.ts';
import { priceOfInfo, weightOfRows } from '../info/answerInfo.ts';
import { type TradingParts, toCall } from '../trading/answering.ts';
import { callTool } from './callTool.ts';
import { exchangeMessage } from './mcpExchange.ts';
import { type Input, TOOLS, type Tool } from './tools.ts';

const MessageId = Type.Union([Type.String({ maxLength: 200 }), Type.Integer()]);

const McpMessage = named(
  'McpMessage',
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0', { expected: '"2.0"' }),
      id: described(
        Type.Optional(Type.Union(MessageId.anyOf, { expected: 'a text or a whole number' })),
        'Absent: nothing is answered.',
      ),
      method: Type.String({ maxLength: 100, expected: 'a string', examples: ['tools/call'] }),
      params: Type.Optional(named('McpParams', Type.Object({}, { additionalProperties: true, expected: 'an object' }))),
    },
    { additionalProperties: false, expected: 'one JSON-RPC 2.0 message: batches are not taken' },
  ),
);
const readMessage = compileReader(McpMessage);

const example = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) });

export const mcpEndpoint = endpoint({
  id: 'mcp',
  method: 'post',
  path: '/mcp',
  tag: 'Trading',
  summary: 'The exchange as tools of the Model Context Protocol.',
  description:
    'Streamable HTTP without sessions: one message a request, answered as JSON. The key is in `X-API-Key` or `Authorization: Bearer`. A tool is an ' +
    'info type or an action, with the fields of the contract; its result is a text of JSON with `seq`, `dataAge` and `data`.',
  credential: 'either',
  scope: 'any',
  asks: ['trader', 'paid', 'allowedOrigin'],
  price: CHEAP,
  body: {
    schema: McpMessage,
    examples: {
      tools: example('tools/list'),
      book: example('tools/call', { name: 'l2Book', arguments: { coin: 'BTC' } }),
      state: example('tools/call', { name: 'clearinghouseState', arguments: {} }),
    },
  },
  answer: {
    about: 'The answer to the message.',
    schema: named(
      'McpAnswer',
      Type.Object({
        jsonrpc: Type.Literal('2.0'),
        id: Type.Optional(MessageId),
        result: Type.Optional(named('McpResult', Type.Object({}, { additionalProperties: true }))),
        error: Type.Optional(
          named('McpError', Type.Object({ code: Type.Integer(), message: Type.String() }, { additionalProperties: true })),
        ),
      }),
    ),
    emptyStatus: 202,
  },
  errors: { 400: ['invalid_message'] },
  reachesAccount: true,
  handle: (parts: McpParts) => {
    const { services, answers, readBody, admission, config } = parts;
    const graceMs = graceMsOf(config);
    return async (ctx) => {
      requireOrigin(ctx, config);
      const trader = requireTrader(ctx);
      const { trialExpiresAtMs, subscriptionExpiresAtMs } = trader;
      requirePaid({ trialExpiresAtMs, subscriptionExpiresAtMs, graceMs }, ctx.state.request.receivedAtMs);
      const { body, bytes } = await readBody.sized(ctx);
      const message = readMessage(body);
      await charge(ctx, admission, priceOf(message, bytes));
      const key = ctx.state.request.key ?? {};
      const tools = [...TOOLS.values()].filter(({ scope }) => hasScope(key, scope));
      const call = (tool: Tool, input: Input) =>
        callTool(tool, input, () => toCall(ctx, trader, tool.bodyOf(input)), {
          ...{ services, answers },
          onAnswer: (asked, data) => admission.addWeight(ctx.state.request, weightOfRows(asked, data)),
        });
      const { status, text } = await exchangeMessage(message, ctx.get('mcp-protocol-version'), { tools, call });
      ctx.body = text;
      ctx.status = status;
      if (text !== '') ctx.type = 'application/json';
    };
  },
});

export interface McpParts extends TradingParts {
  readonly config: Config;
}

/** A page of another origin must not speak for a program on the same machine. @throws {RequestError} 403 */
function requireOrigin(ctx: RouteContext, { CORS_ORIGINS, PUBLIC_URL }: Pick<Config, 'CORS_ORIGINS' | 'PUBLIC_URL'>): void {
  const origin = ctx.get('Origin');
  if (origin === '') return;
  const allowed = [...CORS_ORIGINS.split(',').map((one) => one.trim()), PUBLIC_URL];
  if (allowed.includes('*') || allowed.includes(origin)) return;
  throw mayNot('origin_not_allowed', 'Pages of this origin may not call the tools.');
}

/** What the tool's own endpoint would cost; a list of all tools is a long answer. */
function priceOf({ method, params }: Input, bytes: number): Price {
  if (method === 'tools/list') return { requests: 1, weight: HEAVIEST };
  const { name, arguments: input } = (params ?? {}) as { readonly name?: unknown; readonly arguments?: unknown };
  const tool = method === 'tools/call' && typeof name === 'string' ? TOOLS.get(name) : undefined;
  const body = tool?.bodyOf(typeof input === 'object' && input !== null ? (input as Input) : {});
  return tool?.scope === 'trade' ? priceOfAction(body, bytes) : priceOfInfo(body, bytes);
}

/** @throws {RequestError} 429 */
async function charge(ctx: RouteContext, admission: Admission, price: Price): Promise<void> {
  ctx.state.request = await admission.chargeRest(ctx, ctx.state.request, price);
}
